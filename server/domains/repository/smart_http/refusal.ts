import { SERVICE_NAME } from '../../../lib/aliases.ts'

/** A request that git is not served; the text is shown at the user's prompt. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.status = status
    this.headers = headers
  }
}

/** Asks for a name and a password. Says the same whether or not there is such a repository. */
export function challenge(): Refusal {
  const text = 'HTTP Basic: Access denied. Sign in with your password or with a personal access token.'
  return new Refusal(401, text, { 'WWW-Authenticate': `Basic realm="${SERVICE_NAME}"` })
}
