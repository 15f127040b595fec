import type { ObservedHead } from '../../../../observer.ts'
import { headerOf, type FlatHeaders, type RecordedActor, type RequestRecord } from './record.ts'

/** The kind of credential of a request. */
export type Credential =
  | 'none'
  | 'session'
  | 'personal_token'
  | 'bearer_token'
  | 'password'
  | 'job_token'
  | 'deploy_token'
  | 'deploy_key'
  | 'invalid'

/** The actor of a request, for the window. */
export type ActorView = Omit<RecordedActor, 'via'>

export function actorView({ kind, id, username, token_id, sudo_by }: RecordedActor): ActorView {
  return { kind, id, username, token_id, sudo_by }
}

type CredentialSource = Pick<RequestRecord, 'actor' | 'headers' | 'isSigned'>

/** The kind of credential that a request has. */
export function credentialOf({ actor, headers, isSigned }: CredentialSource): Credential {
  if (actor?.kind === 'deploy_token' || actor?.kind === 'deploy_key') return actor.kind
  if (actor?.kind !== 'user') return isSigned ? 'invalid' : 'none'
  if (actor.via === 'job') return 'job_token'
  if (actor.via === 'session' || actor.via === 'password') return actor.via
  if (actor.via === 'key') return 'deploy_key'
  const isPersonal = headerOf(headers, 'private-token') !== undefined
  return !isPersonal && headerOf(headers, 'authorization') !== undefined ? 'bearer_token' : 'personal_token'
}

/** A request before its headers and target are masked. */
type Head = Pick<RequestRecord, 'headers' | 'target' | 'ip'>

const TOKEN_HEADERS = ['private-token', 'authorization', 'job-token']

/** The credential in the headers: a token or password, or the cookie of a window. */
function credentialIn(headers: FlatHeaders): string {
  for (const name of [...TOKEN_HEADERS, 'cookie']) {
    const value = headerOf(headers, name)
    if (value !== undefined) return value
  }
  return ''
}

/** True if a request has a credential other than a cookie, valid or not. */
export function hasCredential({ headers, target }: Head): boolean {
  return (
    TOKEN_HEADERS.some((name) => headerOf(headers, name) !== undefined) ||
    /[?&](private_token|access_token|job_token)=/.test(target)
  )
}

/** The secret texts of a request, to be masked in its bodies. */
export function secretsIn({ headers }: Pick<ObservedHead, 'headers'>): string[] {
  const cookies = textOf(headers['cookie'] ?? '').split(/;\s*/)
  const secrets = [
    textOf(headers['private-token'] ?? ''),
    textOf(headers['job-token'] ?? ''),
    ...secretsOfAuthorization(textOf(headers['authorization'] ?? '')),
    ...cookies.map((pair) => pair.slice(pair.indexOf('=') + 1)),
  ]
  // Short values, such as those of other cookies, would match unrelated text.
  return secrets.filter((secret) => secret.length >= 8)
}

function secretsOfAuthorization(text: string): string[] {
  const [scheme = '', rest = ''] = text.split(/\s+/, 2)
  if (scheme.toLowerCase() !== 'basic') return [rest]
  const plain = Buffer.from(rest, 'base64').toString()
  return [rest, plain.slice(plain.indexOf(':') + 1)]
}

/** Identifiers of clients. They do not reveal the credentials. */
export class ClientNames {
  readonly #names = new Map<number, string>()
  readonly #salt: number

  constructor(salt: number) {
    this.#salt = salt
  }

  /**
   * An identifier of the client: equal for all requests with the same credential. Requests without credentials are
   * identified by their address.
   */
  of(head: Head): string {
    const hash = hashOf(credentialIn(head.headers) || head.ip, this.#salt)
    const cached = this.#names.get(hash)
    if (cached !== undefined) return cached
    if (this.#names.size > 1000) this.#names.clear()
    const name = hash.toString(36).padStart(8, '0').slice(-8)
    this.#names.set(hash, name)
    return name
  }
}

/** A number of 53 bits from two rounds of FNV-1a. */
function hashOf(text: string, salt: number): number {
  let [low, high] = [0x811c9dc5 ^ salt, 0x9dc5811c ^ salt]
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    low = Math.imul(low ^ code, 0x01000193)
    high = Math.imul(high ^ code, 0x85ebca6b)
  }
  return (high & 0x1fffff) * 4_294_967_296 + (low >>> 0)
}

function textOf(value: string | readonly string[]): string {
  return typeof value === 'string' ? value : value.join(', ')
}
