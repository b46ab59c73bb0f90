import { ModuleProvider, Modules } from "@medusajs/framework/utils";

import { GatewayPaymentProvider } from "./provider.js";

export type { GatewayOptions } from "./options.js";
export { GatewayPaymentProvider } from "./provider.js";

export default ModuleProvider(Modules.PAYMENT, { services: [GatewayPaymentProvider] });
