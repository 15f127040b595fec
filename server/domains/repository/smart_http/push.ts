import type { Ctx } from '../../../ctx.ts'
import { isZeroId } from '../../../git/names.ts'
import type { PendingPush, PushUpdate, Verdict } from '../../../git/receive-pack.ts'
import { withWriteLock } from '../../../git/repository.ts'
import type { Repo } from '../../../git/types.ts'
import { SERVICE_NAME } from '../../../http/aliases.ts'
import { projectById, type Project } from '../../projects/index.ts'
import { settingsOf } from '../../settings/index.ts'
import type { RefChange } from '../checks/check.ts'
import { refusalOf } from '../checks/run-checks.ts'
import { announce, settle, type Announced } from '../refs-updated.ts'

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
 * announced in the journal, and is recorded before its user hears of success.
 */
export class PushSession {
  readonly #ctx: Ctx
  readonly #project: Project
  readonly #repo: Repo
  #release: (() => void) | undefined
  #announced: Announced | undefined
  #isRecorded = false

  constructor(ctx: Ctx, project: Project, repo: Repo) {
    this.#ctx = ctx
    this.#project = project
    this.#repo = repo
  }

  /** Asks the rules. A sentence refuses the whole push. */
  async decide(push: PendingPush): Promise<Verdict> {
    const changes = changesOf(push.updates)
    const { db } = this.#ctx
    const since = db.generation
    const refused = await this.#refusal(changes, push)
    if (refused) return refuse(refused)
    this.#release = await hold(this.#repo)
    // Where others wrote while this push was looked at and waited for its turn, the rules may have changed.
    const again = db.generation === since ? undefined : await this.#refusal(changes, push)
    if (again) return refuse(again)
    this.#announced = announce(this.#ctx, this.#project, { source: 'push', changes })
    return { ok: true }
  }

  async #refusal(changes: readonly RefChange[], push: PendingPush): Promise<string | undefined> {
    const project = projectById(this.#ctx.db, this.#project.id)
    if (!project) return 'The project is gone.'
    return refusalOf({
      ctx: this.#ctx,
      project,
      repo: this.#repo,
      source: 'push',
      changes,
      env: push.quarantineEnv,
      signal: push.signal,
    })
  }

  /** Records what changed; the user is told of success afterwards. */
  async record(push: { readonly updates: readonly PushUpdate[] }): Promise<void> {
    // Where this fails the announcement stays, and is compared with the repository at the next start.
    this.#isRecorded = true
    if (this.#announced) await settle(this.#ctx, this.#announced, changesOf(push.updates))
  }

  /** After the end of git, whatever it was. */
  async end(): Promise<void> {
    try {
      if (this.#announced && !this.#isRecorded) await settle(this.#ctx, this.#announced, [])
    } finally {
      this.#release?.()
    }
  }
}

function refuse(sentence: string): Verdict {
  return { ok: false, message: `${SERVICE_NAME}: ${sentence}` }
}

/** Waits to be the only writer; the returned function lets the next one in. */
function hold(repo: Repo): Promise<() => void> {
  return new Promise((entered, failed) => {
    withWriteLock(repo, () => new Promise<void>((release) => entered(release))).catch(failed)
  })
}
