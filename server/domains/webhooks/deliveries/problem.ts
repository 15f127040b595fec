import { ForbiddenDestination } from '../../../lib/outbound.ts'

/** What went wrong on the way, as one sentence for people. */
const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'The connection was refused.',
  ECONNRESET: 'The connection was closed before the answer was complete.',
  EPIPE: 'The connection was closed before the answer was complete.',
  UND_ERR_SOCKET: 'The connection was closed before the answer was complete.',
  ENOTFOUND: 'The name of the host could not be resolved.',
  EAI_AGAIN: 'The name of the host could not be resolved.',
  EAI_FAIL: 'The name of the host could not be resolved.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The host cannot be reached.',
  ETIMEDOUT: 'The host did not answer in time.',
  UND_ERR_CONNECT_TIMEOUT: 'The host did not answer in time.',
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the answer are too long.',
  HPE_HEADER_OVERFLOW: 'The headers of the answer are too long.',
  ERR_INVALID_URL: 'The address is not valid.',
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another host.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'The certificate could not be verified: it is self-signed.',
  SELF_SIGNED_CERT_IN_CHAIN: 'The certificate could not be verified: its authority is not known.',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'The certificate could not be verified: its authority is not known.',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'The certificate could not be verified: its authority is not known.',
}

const NO_HTTP = 'The answer is not HTTP.'

interface Coded {
  readonly name?: string
  readonly code?: unknown
  readonly message?: string
  readonly cause?: unknown
}

/** The sentence for a failed exchange. `timeoutMs` is how long it was waited for. Masks nothing. */
export function problemOf(error: unknown, timeoutMs: number): string {
  for (let one = error as Coded | undefined, depth = 0; one && depth < 5; one = one.cause as Coded, depth++) {
    if (one instanceof ForbiddenDestination) return one.message
    if (one.name === 'TimeoutError') return `There was no complete answer within ${seconds(timeoutMs)}.`
    const known = sentenceFor(one)
    if (known) return known
  }
  const { message, cause } = error as Coded
  return `The request failed: ${(cause as Coded | undefined)?.message || message || 'for an unknown reason'}.`
}

function sentenceFor({ name, code, message }: Coded): string | undefined {
  // What browsers do not connect to either: ports of mail, chat and the like.
  if (message === 'bad port') return 'The port is reserved for another protocol.'
  if (typeof code !== 'string') return name === 'HTTPParserError' ? NO_HTTP : undefined
  const sentence = Object.hasOwn(SENTENCES, code) ? SENTENCES[code] : undefined
  if (sentence) return sentence
  if (code.startsWith('HPE_') || name === 'HTTPParserError') return NO_HTTP
  if (code.startsWith('CERT_')) return `The certificate could not be verified: ${message ?? code}.`
  if (code === 'EPROTO' || code.startsWith('ERR_SSL_') || code.startsWith('ERR_TLS_'))
    return 'A secure connection could not be made: the other side does not speak TLS, or another version of it.'
  return undefined
}

function seconds(ms: number): string {
  return ms === 1000 ? '1 second' : `${ms / 1000} seconds`
}
