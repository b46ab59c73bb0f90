import { readFileSync } from "node:fs";
import * as http from "node:http";
import * as https from "node:https";
import { rootCertificates } from "node:tls";

const mostAnswerBytes = 64 << 20;

/** There is no usable answer. `final`: another attempt will have none either. */
export class BrokenExchange extends Error {
  constructor(
    message: string,
    readonly final = false,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface Answer {
  status: number;
  headers: http.IncomingHttpHeaders;
  body: Buffer;
}

export interface Exchange {
  method: string;
  target: string;
  headers: Record<string, string>;
  body: Buffer;
  /** Milliseconds. */
  timeout: number;
  signal?: AbortSignal | undefined;
}

/** Connections to one host. TLS certificates are verified; plain HTTP is for this machine only. */
export class Transport {
  readonly #base: URL;
  readonly #secure: boolean;
  readonly #agent: http.Agent | https.Agent;

  constructor(url: string, caFile: string | undefined) {
    const base = new URL(url);
    this.#secure = base.protocol === "https:";
    if (!this.#secure && base.protocol !== "http:") {
      throw new TypeError(`${url} is not an http or https address`);
    }
    if (!this.#secure && !["localhost", "127.0.0.1", "[::1]"].includes(base.hostname)) {
      throw new TypeError("http is used on this machine only: the address must be https");
    }
    if (base.pathname !== "/" || base.search || base.username) {
      throw new TypeError("the gateway's address has a host and a port only");
    }
    this.#base = base;
    const kept = { keepAlive: true, maxFreeSockets: 16 };
    // The authorities of the file are trusted besides Node's own.
    const ca = caFile ? [...rootCertificates, readFileSync(caFile, "utf8")] : undefined;
    this.#agent = this.#secure ? new https.Agent({ ...kept, ca }) : new http.Agent(kept);
  }

  /** Closes the connections that are not in use. */
  close(): void {
    this.#agent.destroy();
  }

  /** Sends a request. A kept connection that the gateway has closed meanwhile is replaced. */
  async exchange(what: Exchange): Promise<Answer> {
    const late = AbortSignal.timeout(what.timeout);
    const signal = what.signal ? AbortSignal.any([late, what.signal]) : late;
    for (;;) {
      const socket = { reused: false };
      try {
        return await this.#once(what, signal, socket);
      } catch (fault) {
        if (fault instanceof BrokenExchange) throw fault;
        if (what.signal?.aborted) throw what.signal.reason;
        if (late.aborted) throw new BrokenExchange("no answer in time", false, { cause: fault });
        const { code, message } = fault as NodeJS.ErrnoException;
        if (socket.reused && code === "ECONNRESET") continue;
        const untrusted = /CERT|SIGNATURE|ALTNAME|ISSUER/.test(code ?? "");
        throw new BrokenExchange(`the connection failed: ${message}`, untrusted, { cause: fault });
      }
    }
  }

  async #once(
    { method, target, headers, body }: Exchange,
    signal: AbortSignal,
    socket: { reused: boolean },
  ): Promise<Answer> {
    const options = {
      hostname: this.#base.hostname.replace(/^\[|\]$/g, ""),
      port: this.#base.port,
      path: target,
      method,
      agent: this.#agent,
      signal,
      headers: method === "GET" ? headers : { ...headers, "Content-Length": String(body.length) },
    };
    const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
      const send = this.#secure ? https.request : http.request;
      const request = send(options, resolve);
      request.on("error", (fault) => {
        socket.reused = request.reusedSocket;
        reject(fault);
      });
      request.end(body);
    });
    const parts: Buffer[] = [];
    let size = 0;
    for await (const part of answer as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > mostAnswerBytes) throw new BrokenExchange("the answer is too large", true);
      parts.push(part);
    }
    if (!answer.complete) throw new BrokenExchange("the connection broke before the answer's end");
    return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) };
  }
}
