import type { BigNumberInput, Logger } from "@medusajs/framework/types";

interface Rows<Row> {
  list(filters: object): Promise<Row[]>;
}

interface CaptureRow {
  id: string;
  raw_amount?: BigNumberInput;
  amount: BigNumberInput;
}

/** What Medusa's payment module gives to its providers. */
export interface ModuleContainer extends Record<string, unknown> {
  logger: Logger;
  captureService: Rows<CaptureRow>;
  refundService: Rows<{ id: string }>;
}

/** Rows of Medusa's payment module that a provider needs, and that Medusa does not pass to it. */
export class MedusaRecords {
  constructor(private readonly container: ModuleContainer) {}

  /** The amount of a capture, in Medusa's unit: Medusa passes only its id. */
  async captureAmount(captureId: string | undefined): Promise<BigNumberInput | undefined> {
    if (!captureId) return undefined;
    const [capture] = await this.container.captureService.list({ id: captureId });
    return capture?.raw_amount ?? capture?.amount;
  }

  /** Which of these refunds Medusa has. It deletes a refund whose request failed. */
  async knownRefunds(refundIds: string[]): Promise<Set<string>> {
    const rows = await this.container.refundService.list({ id: refundIds });
    return new Set(rows.map((each) => each.id));
  }
}
