import { HOST_A_NAME } from '../../../http/aliases.ts'

/** What is said where the other host does not take a token (spec administration 6.9). */
export function deniedSentence(): string {
  return `Access denied to your ${HOST_A_NAME} account.`
}
