// Runs the steps that are given on standard input, and prints the result or the error of each: see
// tests/clients/.
import { text } from "node:stream/consumers";

import {
  ApiError,
  Client,
  GatewayError,
  NoAnswerError,
  NotChargeCapableError,
} from "../src/index.js";

interface Step {
  do: string;
  path?: string[];
  body?: object;
  query?: object;
  key?: string;
  take?: number;
  method: string;
  target: string;
}

type Method = (...given: unknown[]) => Promise<unknown> | AsyncIterable<unknown>;

/** These take a body behind their ids, whether there is one or not. */
const withBody =
  /^(createPayment|capture|refund|void|cancelPayment|charge|createSub|exchange|revokeG)/;

async function call(client: Client, step: Step): Promise<unknown> {
  if (step.do === "call") return await client.call(step.method, step.target);
  const given: unknown[] = [...(step.path ?? [])];
  if (withBody.test(step.do)) given.push(step.body ?? {});
  if (step.query) given.push(step.query);
  if (step.key) given.push({ idempotencyKey: step.key });
  const methods = client as unknown as Record<string, Method>;
  const result = methods[step.do]?.(...given) ?? Promise.reject(new Error(`no ${step.do}`));
  if (!(Symbol.asyncIterator in result)) return (await result) ?? null;
  const taken: unknown[] = [];
  for await (const each of result) {
    taken.push(each);
    if (taken.length === step.take) break;
  }
  return taken;
}

function described(fault: GatewayError): object {
  const base = { kind: fault.name.replace(/Error$/, ""), text: fault.message };
  if (fault instanceof NoAnswerError) return { ...base, idempotency_key: fault.idempotencyKey };
  if (!(fault instanceof ApiError)) return base;
  return {
    ...base,
    status: fault.status,
    code: fault.code,
    docs_url: fault.docsUrl,
    request_id: fault.requestId,
    retry_after: fault.retryAfter,
    idempotency_key: fault.idempotencyKey,
    fields: fault.fields.map((each) => each.name),
    setup_url: fault instanceof NotChargeCapableError ? fault.setupUrl : undefined,
  };
}

interface Given {
  steps: Step[];
  options: { timeout?: number; attempts?: number };
}

const { steps, options } = JSON.parse(await text(process.stdin)) as Given;
const timeout = options.timeout === undefined ? undefined : options.timeout * 1_000;
const client = Client.fromEnvironment({ ...options, timeout });
for (const step of steps) {
  try {
    console.log(JSON.stringify({ result: await call(client, step) }));
  } catch (fault) {
    if (!(fault instanceof GatewayError)) throw fault;
    console.log(JSON.stringify({ error: described(fault) }));
  }
}
client.close();
