import { bool, hash, int, intChoice, list } from '../../../http/params.ts'

/** An access level that a protection can require: no one, developers, maintainers, administrators. */
export const level = () => intChoice(0, 30, 40, 60)

/** An access level for removing a protection. "No one" is missing, because such a protection could never be removed. */
export const unprotectLevel = () => intChoice(30, 40, 60)

/** A list of entries, `[{access_level}]`, `[{user_id}]`, `[{group_id}]` or `[{deploy_key_id}]`. */
export const entries = (
  access_level: ReturnType<typeof level> | ReturnType<typeof unprotectLevel> = level(),
) =>
  list(
    hash({
      id: int().optional(),
      access_level: access_level.optional(),
      user_id: int().optional(),
      group_id: int().optional(),
      deploy_key_id: int().optional(),
      _destroy: bool().optional(),
    }),
    { max: 100 },
  ).optional()
