import { abilitiesOn } from '../../../policy/ability.ts'
import { OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'

/** Who manages the SCIM users of a group. */
export const scimAbilities = abilitiesOn(group, { manage_group_scim: { from: OWNER } })
