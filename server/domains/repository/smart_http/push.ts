import type { Ctx } from '../../../ctx.ts'
import { isZeroId } from '../../../git/names.ts'
import type { PendingPush, PushUpdate, Verdict } from '../../../git/transport/receive-pack.ts'
import { withWriteLock } from '../../../git/upkeep/repository.ts'
import type { Repo } from '../../../git/types.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { Failure } from '../../../lib/fail.ts'
import type { RefChange } from '../checks/check.ts'
import { READ_ONLY } from '../checks/writable.ts'
import type { GitTarget } from '../../../git-target.ts'

function changesOf(updates: readonly PushUpdate[]): RefChange[] {
  const idOf = (id: string) => (isZeroId(id) ? null : id)
  return updates.map((update) => ({ ref: update.ref, old: idOf(update.old), new: idOf(update.new) }))
}

const MEGABYTE = 1024 * 1024

/** The largest pack that the settings accept; 0 and nothing mean any. */
export function packLimitOf(ctx: Ctx): { maxPackBytes?: number } {
  const megabytes = settingsOf(ctx).receive_max_input_size
  return megabytes ? { maxPackBytes: megabytes * MEGABYTE } : {}
}

/**
 * One push, from the rules to the record. Once the rules let it pass it is the only writer of the repository, is
 * announced, and is recorded before its user hears of success.
 */
export class PushSession {
  readonly #place: GitTarget
  /** Where git was told to push to. */
  readonly #gitDir: string
  #release: (() => void) | undefined
  #settle: ((happened: readonly RefChange[]) => Promise<void>) | undefined
  #isRecorded = false

  constructor(place: GitTarget) {
    this.#place = place
    this.#gitDir = place.repo.gitDir
  }

  /** Asks the rules. A sentence refuses the whole push. */
  async decide(push: PendingPush): Promise<Verdict> {
    const changes = changesOf(push.updates)
    const { ctx, repo, rules } = this.#place
    const since = ctx.db.generation
    const refused = await rules.refusal(changes, push)
    if (refused) return refuse(refused)
    const held = await hold(repo).catch(sentenceOf)
    if (typeof held === 'string') return refuse(held)
    this.#release = held
    // Moved while the objects came in: git would write to the place that the repository has left.
    if (repo.gitDir !== this.#gitDir) return refuse(READ_ONLY)
    // Where others wrote while this push was looked at and waited for its turn, the rules may have changed.
    const again = ctx.db.generation === since ? undefined : await rules.refusal(changes, push)
    if (again) return refuse(again)
    this.#settle = rules.announce(changes, push.options)
    return { ok: true }
  }

  /** Records what changed; the user is told of success afterwards. */
  async record(push: { readonly updates: readonly PushUpdate[] }): Promise<void> {
    // Where this fails the announcement stays, and is compared with the repository later.
    this.#isRecorded = true
    await this.#settle?.(changesOf(push.updates))
  }

  /** After the end of git, whatever it was. */
  async end(): Promise<void> {
    try {
      if (!this.#isRecorded) await this.#settle?.([])
    } finally {
      this.#release?.()
    }
  }
}

function refuse(sentence: string): Verdict {
  return { ok: false, message: `${SERVICE_NAME}: ${sentence}` }
}

/** Why the push had to wait too long for its turn. */
function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  throw error
}

/** Waits to be the only writer; the returned function lets the next one in. */
function hold(repo: Repo): Promise<() => void> {
  return new Promise((entered, failed) => {
    withWriteLock(repo, () => new Promise<void>((release) => entered(release))).catch(failed)
  })
}
