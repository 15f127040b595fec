import { SERVICE_NAME } from '../../../lib/aliases.ts'

/** A refused git request; git shows the text in the user's terminal. */
export class Refusal extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, text: string, headers: Readonly<Record<string, string>> = {}) {
    super(text)
    this.status = status
    this.headers = headers
  }
}

/** Requests a name and a password. The answer is the same whether or not the repository exists. */
export function challenge(): Refusal {
  const text = 'HTTP Basic: Access denied. Sign in with your password or with a personal access token.'
  return new Refusal(401, text, { 'WWW-Authenticate': `Basic realm="${SERVICE_NAME}"` })
}
