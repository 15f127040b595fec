import { USER_VARIABLES } from '../../../http/aliases.ts'
import { plain, texts, type Item } from './item.ts'
import type { UserOfVariables } from './target.ts'

/** For whom a job runs: who started the pipeline, or the manual job. */
export function ofUser(user: UserOfVariables | null | undefined): Item[] {
  if (!user) return []
  return [
    ...plain({
      [USER_VARIABLES.id]: user.id,
      [USER_VARIABLES.email]: user.email,
      [USER_VARIABLES.login]: user.username,
    }),
    ...texts({ [USER_VARIABLES.name]: user.name }),
  ]
}
