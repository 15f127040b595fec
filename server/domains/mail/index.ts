export { addressesIn, isAddress, quoted as quotedAddress } from './addresses.ts'
export { queueMail, type Mail } from './queue.ts'
export { obstacleOf as mailObstacle } from './sending.ts'
export { sendTestMail } from './service.ts'
