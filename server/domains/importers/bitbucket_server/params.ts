import { text } from '../../../http/params.ts'

/** How the other host is asked. */
export const access = {
  hostB_server_url: text({ max: 2048, notEmpty: true }).describe('Address of the other host'),
  hostB_server_username: text({ max: 255, notEmpty: true }).describe('User name there'),
  personal_access_token: text({ max: 1024, notEmpty: true }).describe(
    'A token, or the password, of that user',
  ),
}
