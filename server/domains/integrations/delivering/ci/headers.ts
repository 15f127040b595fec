import { EVENT_HEADER, EVENT_INSTANCE_HEADER } from '../../../../http/aliases.ts'
import type { Delivery } from '../delivery.ts'

/** The headers by which those who take payloads of webhooks tell what they got (spec administration 3.7). */
export function eventHeaders({ ctx, kind }: Delivery): Record<string, string> {
  const words = kind.split('_').map((word) => word[0]!.toUpperCase() + word.slice(1))
  return { [EVENT_HEADER]: `${words.join(' ')} Hook`, [EVENT_INSTANCE_HEADER]: ctx.config.url }
}
