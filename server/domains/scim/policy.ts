import { abilitiesOn } from '../../policy/ability.ts'
import { OWNER } from '../../policy/levels.ts'
import { group } from '../groups/index.ts'

/** What can be done with the users whom an identity provider brings into a group. */
export const scimAbilities = abilitiesOn(group, { manage_group_scim: { from: OWNER } })
