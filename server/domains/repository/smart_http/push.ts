import type { Ctx } from '../../../ctx.ts'
import { isZeroId } from '../../../git/names.ts'
import type { PendingPush, PushUpdate, Verdict } from '../../../git/transport/receive-pack.ts'
import { withWriteLock } from '../../../git/upkeep/repository.ts'
import type { Repo } from '../../../git/types.ts'
import { SERVICE_NAME } from '../../../lib/aliases.ts'
import { settingsOf } from '../../settings/index.ts'
import { Failure } from '../../../lib/fail.ts'
import type { RefChange } from '../checks/check.ts'
import { READ_ONLY } from '../checks/run-checks.ts'
import type { GitTarget } from '../../../git-target.ts'

function changesOf(updates: readonly PushUpdate[]): RefChange[] {
  const idOf = (id: string) => (isZeroId(id) ? null : id)
  return updates.map((update) => ({ ref: update.ref, old: idOf(update.old), new: idOf(update.new) }))
}

const MEGABYTE = 1024 * 1024

/** Returns the largest pack that the settings accept; undefined and 0 mean no limit. */
export function packLimitOf(ctx: Ctx): { maxPackBytes?: number } {
  const megabytes = settingsOf(ctx).receive_max_input_size
  return megabytes ? { maxPackBytes: megabytes * MEGABYTE } : {}
}

/**
 * One push. After the checks, it takes the write lock of the repository and is announced in the journal. Its changes
 * are recorded before the user gets the answer.
 */
export class PushSession {
  readonly #target: GitTarget
  /** The folder that git pushes to. */
  readonly #gitDir: string
  /** Releases the write lock. */
  #release: (() => void) | undefined
  /** Records the changes that git made. */
  #settle: ((applied: readonly RefChange[]) => Promise<void>) | undefined
  #isRecorded = false

  constructor(target: GitTarget) {
    this.#target = target
    this.#gitDir = target.repo.gitDir
  }

  /** Runs the checks. A verdict with a message refuses the whole push. */
  async decide(push: PendingPush): Promise<Verdict> {
    const changes = changesOf(push.updates)
    const { ctx, repo, pushHandler } = this.#target
    const since = ctx.db.generation
    const refusal = await pushHandler.refusal(changes, push)
    if (refusal) return refuse(refusal)
    const release = await acquireWriteLock(repo).catch(sentenceOf)
    if (typeof release === 'string') return refuse(release)
    this.#release = release
    // The repository was moved to another storage while objects arrived, so git would write to the old folder.
    if (repo.gitDir !== this.#gitDir) return refuse(READ_ONLY)
    // If the database changed while this push was checked and waited, the settings may be different now.
    const newRefusal = ctx.db.generation === since ? undefined : await pushHandler.refusal(changes, push)
    if (newRefusal) return refuse(newRefusal)
    this.#settle = pushHandler.announce(changes, push.options)
    await ctx.db.stored()
    return { ok: true }
  }

  /** Records the changes before the client gets its answer. */
  async record(push: { readonly updates: readonly PushUpdate[] }): Promise<void> {
    // If this fails, the announcement stays in the journal and is compared with the repository later.
    this.#isRecorded = true
    await this.#settle?.(changesOf(push.updates))
    await this.#target.ctx.db.stored()
  }

  /** Must be called after git ends, also after an error. */
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

/** Returns the message of a push that waited too long for the write lock. */
function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  throw error
}

/** Waits for the write lock; the returned function releases it. */
function acquireWriteLock(repo: Repo): Promise<() => void> {
  return new Promise((resolve, reject) => {
    withWriteLock(repo, () => new Promise<void>((release) => resolve(release))).catch(reject)
  })
}
