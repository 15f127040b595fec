import type { Credentials } from '../../http/pipeline.ts'

/** What a request shows first, in the contract's order of carriers (spec core 8.4). */
export type Carried =
  | { readonly carrier: 'job' | 'private' | 'bearer'; readonly token: string }
  | { readonly carrier: 'session' }

const BEARER = /^Bearer\s+(\S+)\s*$/i

/**
 * `JOB-TOKEN` or `job_token`, then `PRIVATE-TOKEN` or `private_token`, then `Authorization: Bearer` or `access_token`;
 * what has none of them may have a session cookie. A header wins over its parameter.
 */
export function carriedBy(request: Credentials): Carried {
  const job = request.header('job-token') || textOf(request.query['job_token'])
  if (job) return { carrier: 'job', token: job }
  const own = request.header('private-token') || textOf(request.query['private_token'])
  if (own) return { carrier: 'private', token: own }
  const bearer = BEARER.exec(request.header('authorization'))?.[1] ?? textOf(request.query['access_token'])
  return bearer ? { carrier: 'bearer', token: bearer } : { carrier: 'session' }
}

/** Who shall be acted as: `sudo`, or the header `Sudo`; an empty text when nobody. */
export function sudoOf(request: Credentials): string {
  return request.header('sudo') || textOf(request.query['sudo'])
}

/** A parameter as text. A list or a hash is no credential, and no reason to let somebody in as nobody. */
function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : JSON.stringify(value)
}
