import type { Ctx } from '../../../ctx.ts'
import { errorAnswer } from '../../../http/answer/errors.ts'
import { Failure } from '../../../lib/fail.ts'
import { anonymous, type Actor } from '../../../policy/actor.ts'
import { gitActor } from '../../auth/index.ts'
import { deployTokenActor } from '../../deploy_keys/index.ts'
import { challenge, Refusal } from './refusal.ts'

/** Returns name and password of an `Authorization: Basic` header, or a Bearer token; undefined without either. */
function credentials(header: string | undefined): { login: string; password: string } | undefined {
  const [, kind, value = ''] = /^(basic|bearer)\s+(\S+)\s*$/i.exec(header ?? '') ?? []
  if (kind === undefined) return undefined
  if (kind.toLowerCase() === 'bearer') return { login: 'oauth2', password: value }
  const text = Buffer.from(value, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  return colon < 0 ? undefined : { login: text.slice(0, colon), password: text.slice(colon + 1) }
}

/**
 * Returns the actor of a request. Throws a challenge for invalid credentials, and a message if the account may not
 * act.
 */
export async function identify(ctx: Ctx, header: string | undefined, ip = ''): Promise<Actor> {
  const given = credentials(header)
  if (given === undefined) {
    if (header) throw challenge()
    return anonymous
  }
  // Git sends an empty name and password if it is configured to try anonymous access.
  if (given.login === '' && given.password === '') return anonymous
  // A deploy token is valid only with its own user name, so it is checked first.
  const machine = deployTokenActor(ctx, given.login, given.password)
  const actor = machine ?? (await gitActor(ctx, given.login, given.password, ip).catch(refuse))
  if (!actor) throw challenge()
  return actor
}

function refuse(error: unknown): never {
  if (!(error instanceof Failure)) throw error
  const { status, body, headers } = errorAnswer(error)
  throw status === 401 ? challenge() : new Refusal(status, textOf(body), headers)
}

function textOf(body: unknown): string {
  const { message, error } = body as { message?: unknown; error?: unknown }
  return String(message ?? error ?? 'Access denied.').replace(/^\d+ \w+ - /, '')
}
