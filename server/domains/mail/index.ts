export { addressesIn, isAddress } from './addresses.ts'
export { queueMail, type Mail } from './queue.ts'
