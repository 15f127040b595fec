import type { Ctx } from '../../../ctx.ts'
import { optionsOf } from '../jobs/store.ts'
import { idTokensOf } from './id-tokens.ts'
import type { Item } from './item.ts'
import { itemsOfJob, type Run, type StoredJob } from './items-of-job.ts'

/** A variable as runners are sent it (spec ci 1.8). */
export interface JobVariable {
  readonly key: string
  readonly value: string
  readonly public: boolean
  readonly masked: boolean
  readonly file?: true
  readonly raw?: true
}

/** All variables of a job that a runner took, with the tokens that it asks for. */
export async function variablesOfJob(ctx: Ctx, taken: StoredJob & Run): Promise<JobVariable[]> {
  const items = await itemsOfJob(ctx, taken, taken)
  const { id_tokens } = optionsOf(taken.details)
  return [...items, ...(await idTokensOf(ctx, taken, id_tokens, items))].map(shown)
}

function shown({ key, value, isPublic, isMasked, isFile, isRaw }: Item): JobVariable {
  return {
    key,
    value,
    public: isPublic === true,
    masked: isMasked === true,
    ...(isFile ? { file: true } : {}),
    ...(isRaw ? { raw: true } : {}),
  }
}
