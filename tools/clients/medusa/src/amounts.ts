import type { BigNumberInput } from "@medusajs/framework/types";
import { BigNumber, MathBN, MedusaError } from "@medusajs/framework/utils";

// ISO 4217, as the gateway has it. Medusa's own table has the digits that people write: 0 for PKR, whose minor unit
// is a hundredth.
const withoutDecimals = new Set(
  "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX VND VUV XAF XOF XPF".split(" "),
);
const withThreeDecimals = new Set("BHD IQD JOD KWD LYD OMR TND".split(" "));

// The gateway's own limit.
const mostMinorUnits = 999_999_999_999;

/** How many decimals the minor unit of a currency is away: JPY 0, HKD 2, KWD 3. */
export function decimalsOf(currency: string): number {
  const code = currency.toUpperCase();
  if (withoutDecimals.has(code)) return 0;
  return withThreeDecimals.has(code) ? 3 : 2;
}

/**
 * Medusa's amount (42.5 HKD) in the gateway's whole minor units (4250), in decimal arithmetic.
 *
 * A total with taxes can have more digits than its currency: it is rounded to the nearest minor
 * unit, halves upwards, as Medusa does to compare totals.
 */
export function toMinorUnits(amount: BigNumberInput, currency: string): number {
  const scaled = MathBN.mult(new BigNumber(amount), 10 ** decimalsOf(currency));
  const minor = Number(scaled.toFixed(0, roundHalfUp));
  if (!(minor > 0 && minor <= mostMinorUnits)) {
    throw new MedusaError(
      MedusaError.Types.INVALID_DATA,
      `${scaled.toString()} minor units of ${currency} cannot be taken or given back`,
    );
  }
  return minor;
}

const roundHalfUp = 4;

/** The gateway's minor units in Medusa's amount, exact. */
export function fromMinorUnits(minor: number, currency: string): BigNumber {
  return new BigNumber(MathBN.div(minor, 10 ** decimalsOf(currency)));
}
