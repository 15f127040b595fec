import { z } from 'zod'

import { entity } from '../../../http/entity.ts'
import type { UserRow } from '../store.ts'

/** How a user likes the window (spec core 7.2). The preferences of a user have the user's id. */
export const UserPreferences = entity(
  'UserPreferences',
  {
    id: z.int(),
    user_id: z.int(),
    view_diffs_file_by_file: z.boolean(),
    show_whitespace_in_diffs: z.boolean(),
    pass_user_identities_to_ci_jwt: z.boolean(),
  },
  (user: UserRow) => ({
    id: user.id,
    user_id: user.id,
    view_diffs_file_by_file: user.view_diffs_file_by_file,
    show_whitespace_in_diffs: user.show_whitespace_in_diffs,
    pass_user_identities_to_ci_jwt: user.pass_user_identities_to_ci_jwt,
  }),
)
