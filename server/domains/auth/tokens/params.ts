import { choice, day, list, text } from '../../../http/params.ts'
import { TOKEN_SCOPES } from './service.ts'

/** Parameters of a new personal or impersonation token. */
export const newToken = {
  name: text({ max: 255 }).describe('The description of the token'),
  scopes: list(choice(...TOKEN_SCOPES)).describe('The scopes of the token'),
  expires_at: day().nullable().optional().describe('The expiry date of the token. Default: none'),
}

/** The expiry date of the token that replaces a rotated one. */
export const newEnd = {
  expires_at: day().optional().describe('The expiry date of the new token. Default: in a week'),
}
