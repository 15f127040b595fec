import type { Ctx } from '../../../ctx.ts'
import type { Rows } from '../../../db/rows.ts'
import { notFound } from '../../../lib/fail.ts'
import { openBody } from '../recording/sealing.ts'
import type { Target } from './order.ts'
import * as store from './store.ts'
import type { DeliveryWithBody, LogFilter } from './store.ts'

/** Messages are large; lists of them have at most so many (the contract's own limit). */
export const MOST_DELIVERIES = 20

/** One page of what was sent to a webhook or an integration, newest first, for `HookLogEntry`; the endpoint says `most: MOST_DELIVERIES`. */
export function deliveriesOf(
  ctx: Pick<Ctx, 'db' | 'secrets'>,
  target: Target,
  paging: { limit: number; offset: number },
  filter: LogFilter = {},
): Rows<DeliveryWithBody> {
  const { rows, total } = store.list(ctx.db, target, filter, paging)
  return { rows: rows.map((row) => opened(ctx, row)), total }
}

/** One attempt of the log. Throws `404 Not Found`. */
export function deliveryOf(ctx: Pick<Ctx, 'db' | 'secrets'>, target: Target, id: number): DeliveryWithBody {
  const found = store.one(ctx.db, target, id)
  if (!found) throw notFound()
  return opened(ctx, found)
}

function opened(ctx: Pick<Ctx, 'secrets'>, row: DeliveryWithBody): DeliveryWithBody {
  return { ...row, body: row.body === null ? null : openBody(ctx, row.body) }
}
