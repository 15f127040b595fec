import type { Ctx } from '../../../ctx.ts'
import { byId, type HookEventRow } from './store.ts'

const PURPOSE = 'hook_events.payload'

/** The form in which the log keeps what is told: payloads carry what pipelines were started with, which may be secret. */
export function sealBody({ secrets }: Pick<Ctx, 'secrets'>, text: string): string {
  return secrets.seal(text, PURPOSE)
}

/** What was told. Throws when the key of the instance is another one than it was sealed with. */
export function openBody({ secrets }: Pick<Ctx, 'secrets'>, sealed: string): string {
  return secrets.open(sealed, PURPOSE).toString()
}

/** An event that is still kept, with its payload as text. */
export function eventOf(ctx: Pick<Ctx, 'db' | 'secrets'>, id: number): HookEventRow | undefined {
  const row = byId(ctx.db, id)
  return row && { ...row, payload: openBody(ctx, row.payload) }
}
