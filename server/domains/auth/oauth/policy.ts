import { abilitiesOn } from '../../../policy/ability.ts'
import { OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'

/** Abilities on the OAuth applications of a group. */
export const abilities = abilitiesOn(group, { manage_group_applications: { from: OWNER } })
