import { choice, day, list, text } from '../../http/params.ts'
import { TOKEN_SCOPES } from './tokens.ts'

/** What a new personal or impersonation token is made of. */
export const newToken = {
  name: text({ max: 255 }).describe('What the token is for'),
  scopes: list(choice(...TOKEN_SCOPES)).describe('What the token may do'),
  expires_at: day()
    .nullable()
    .optional()
    .describe('Day on which the token ends; without it the token does not end'),
}

/** When the token that takes the place of a rotated one ends. */
export const newEnd = {
  expires_at: day().optional().describe('Day on which the new token ends; a week from now otherwise'),
}
