import type { Ctx } from '../ctx.ts'
import { isOneTooMany } from '../domains/auth/index.ts'
import { authenticateLfs, isLfsCommand } from '../domains/repository/index.ts'
import { serveGit, type OpenPlace } from '../domains/repository/index.ts'
import type { Client } from '../git/locks.ts'
import { errorAnswer } from '../http/errors.ts'
import { Failure } from '../lib/fail.ts'
import { system, type Actor } from '../policy/actor.ts'
import type { GuestCommand, Household } from './guest.ts'
import { actorOfKey, keyShown } from './identity.ts'

const NO_LONGER = 'This key does not hold any more.'

/** What the instance does for those who come over SSH; `kinds` are the places that git is served beside projects. */
export function householdOf(
  contextFor: (actor: Actor, client?: Client) => Ctx,
  kinds: readonly OpenPlace[],
): Household {
  return {
    keyShown: (blob) => keyShown(contextFor(system), blob),
    greeting(keyId) {
      const actor = known(contextFor(system), keyId)
      if (typeof actor === 'string') return actor
      const name = actor.kind === 'user' ? `@${actor.username}` : 'machine'
      return `Welcome to Deskforge, ${name}! There is no shell here; git is served.`
    },
    async run(keyId, command) {
      const actor = known(contextFor(system), keyId)
      if (typeof actor !== 'string') {
        const client = { signal: command.signal, onlyReads: false }
        return run(contextFor(actor, client), kinds, command)
      }
      command.channel.stderr.write(`ERROR: ${actor}\n`)
      return 1
    },
    isOneTooMany: (shown, ip) => isOneTooMany(contextFor(system), shown, ip),
    log: (details, message) => contextFor(system).log.debug(details, message),
  }
}

/** Who has the key, or the sentence why nobody is let in with it. */
function known(ctx: Ctx, keyId: number) {
  try {
    return actorOfKey(ctx, keyId) ?? NO_LONGER
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    const { message } = errorAnswer(error).body as { message?: unknown }
    return String(message ?? NO_LONGER).replace(/^\d+ \w+ - /, '')
  }
}

function run(
  ctx: Ctx,
  kinds: readonly OpenPlace[],
  { text, channel, protocol, signal }: GuestCommand,
): Promise<number> {
  const streams = { stdin: channel, stdout: channel, stderr: channel.stderr }
  if (isLfsCommand(text)) return authenticateLfs(ctx, kinds, { text, ...streams })
  return serveGit(ctx, kinds, { text, ...streams, signal, ...(protocol === undefined ? {} : { protocol }) })
}
