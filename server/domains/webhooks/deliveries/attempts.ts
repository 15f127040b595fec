import type { Ctx } from '../../../ctx.ts'
import { tx } from '../../../db/database.ts'
import { notFound } from '../../../lib/fail.ts'
import { noteVerdict, verdictOn } from '../hooks/health.ts'
import * as hooks from '../hooks/store.ts'
import type { HookRow } from '../hooks/store.ts'
import { orderFor, type Message } from './message.ts'
import type { SentOut } from './order.ts'
import { attemptOf, ended, loggedColumns, tellEnd } from './send.ts'
import * as store from './store.ts'

/**
 * Tells a webhook at once, whether it is switched off or not, because somebody asked for it: a test, or something that
 * went out before. How it ends counts as ever, so that a good answer switches the webhook on again. Throws 404 for one
 * that was removed meanwhile.
 */
export async function tellNow(ctx: Ctx, row: HookRow, message: Message): Promise<SentOut> {
  const order = orderFor(ctx, row, message)
  const attempt = await attemptOf(ctx, order)
  const { outcome } = attempt
  return tx(ctx.db, () => {
    const present = hooks.byId(ctx.db, row.id)
    // Somebody removed it while the answer was waited for, and its log with it.
    if (!present) throw notFound()
    const id = store.insert(ctx.db, { ...loggedColumns(ctx, order), ...ended(ctx, attempt) })
    if (outcome.unsent !== 'held_back') noteVerdict(ctx, present, verdictOn(outcome.status))
    return tellEnd(ctx, order, id, outcome)
  })
}
