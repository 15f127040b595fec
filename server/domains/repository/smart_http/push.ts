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
 * One push, from the checks to the record. After the checks it becomes the only writer of the repository, is
 * announced, and is recorded before the user gets the answer.
 */
export class PushSession {
  readonly #target: GitTarget
  /** The folder that git pushes to. */
  readonly #gitDir: string
  #release: (() => void) | undefined
  #settle: ((applied: readonly RefChange[]) => Promise<void>) | undefined
  #isRecorded = false

  constructor(target: GitTarget) {
    this.#target = target
    this.#gitDir = target.repo.gitDir
  }

  /** Runs the checks. A message refuses the whole push. */
  async decide(push: PendingPush): Promise<Verdict> {
    const changes = changesOf(push.updates)
    const { ctx, repo, rules } = this.#target
    const since = ctx.db.generation
    const refused = await rules.refusal(changes, push)
    if (refused) return refuse(refused)
    const held = await holdLock(repo).catch(sentenceOf)
    if (typeof held === 'string') return refuse(held)
    this.#release = held
    // A storage move happened while objects arrived: git would write to the old folder.
    if (repo.gitDir !== this.#gitDir) return refuse(READ_ONLY)
    // Other writes happened while this push was checked and waited, so the settings may have changed.
    const refusal = ctx.db.generation === since ? undefined : await rules.refusal(changes, push)
    if (refusal) return refuse(refusal)
    this.#settle = rules.announce(changes, push.options)
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

  /** Runs after git ends, with any result. */
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

/** The push waited too long for the write lock. */
function sentenceOf(error: unknown): string {
  if (error instanceof Failure) return error.message
  throw error
}

/** Waits for the write lock; the returned function releases it. */
function holdLock(repo: Repo): Promise<() => void> {
  return new Promise((entered, failed) => {
    withWriteLock(repo, () => new Promise<void>((release) => entered(release))).catch(failed)
  })
}
