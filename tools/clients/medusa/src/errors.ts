import { MedusaError } from "@medusajs/framework/utils";
import {
  ApiError,
  ConflictError,
  GatewayError,
  InvalidRequestError,
  NoAnswerError,
  NotFoundError,
} from "gateway-client";

/** The gateway's refusals and failures with the status that Medusa's own API answers them with. */
export function asMedusaError(fault: unknown): unknown {
  if (!(fault instanceof GatewayError)) return fault;
  const { Types } = MedusaError;
  let type = Types.UNEXPECTED_STATE;
  if (fault instanceof NoAnswerError) type = Types.CONFLICT;
  else if (fault instanceof ConflictError) type = Types.NOT_ALLOWED;
  else if (fault instanceof NotFoundError) type = Types.NOT_FOUND;
  else if (fault instanceof InvalidRequestError) type = Types.INVALID_DATA;
  else if (fault instanceof ApiError && fault.status === 422) type = Types.NOT_ALLOWED;
  return new MedusaError(type, `payments gateway: ${fault.message}`);
}
