// Lives of payments in Medusa's payment module, without HTTP: each is created, captured, refunded in part, and refunded in full. Run by
// `medusa exec`, for peers.py, which reads what it prints.
export default async function lives({ container, args: [seconds, connections] }) {
  const payments = container.resolve("payment")
  const live = async () => {
    const [collection] = await payments.createPaymentCollections([{ currency_code: "hkd", amount: 42 }])
    const wanted = { provider_id: "pp_system_default", currency_code: "hkd", amount: 42, data: {} }
    const session = await payments.createPaymentSession(collection.id, wanted)
    const payment = await payments.authorizePaymentSession(session.id, {})
    await payments.capturePayment({ payment_id: payment.id, amount: 42 })
    await payments.refundPayment({ payment_id: payment.id, amount: 10 })
    await payments.refundPayment({ payment_id: payment.id, amount: 32 })
  }
  const load = async (milliseconds) => {
    const until = Date.now() + milliseconds
    let count = 0
    const client = async () => {
      while (Date.now() < until) {
        await live()
        count++
      }
    }
    await Promise.all(Array.from({ length: Number(connections) }, client))
    return count
  }
  await load(5000) // until its code is compiled
  console.log("begins")
  // The reader of this line looks at the processes before the load begins.
  await new Promise((resolve) => setTimeout(resolve, 500))
  console.log(`ends ${await load(seconds * 1000)}`)
  await new Promise((resolve) => setTimeout(resolve, 500))
}
