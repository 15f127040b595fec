export { signToken } from './openid/sign.ts'
