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

/** What is known of the backups of this instance. */
export function runningOf({ db }: Pick<Ctx, 'db'>): RunningBackups {
  return db.instance('backups.running', (): RunningBackups => ({
    passphrases: new Map(),
    current: undefined,
    restoring: undefined,
    restoreController: undefined,
  }))
}
