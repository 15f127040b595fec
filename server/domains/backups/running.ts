import type { Ctx } from '../../ctx.ts'

/** A restore that is being prepared. */
export interface Restoring {
  readonly backup_id: number
  state: 'running' | 'failed' | 'restarting'
  step: string
  done: number
  total: number
  error: string | null
}

/** What an instance knows of its backups beside their rows: passphrases are never written down. */
export interface RunningBackups {
  readonly passphrases: Map<number, string>
  /** Ends the backup that is being made. */
  current: { readonly id: number; readonly controller: AbortController; ended: Promise<unknown> } | undefined
  restoring: Restoring | undefined
  /** Ends the preparation of a restore. */
  restoreController: AbortController | undefined
}

const desks = new WeakMap<Ctx['db'], RunningBackups>()

/** The desk of this instance. */
export function runningOf({ db }: Pick<Ctx, 'db'>): RunningBackups {
  const known = desks.get(db)
  if (known) return known
  const made: RunningBackups = {
    passphrases: new Map(),
    current: undefined,
    restoring: undefined,
    restoreController: undefined,
  }
  desks.set(db, made)
  return made
}
