import { abilitiesOn } from '../../../policy/ability.ts'
import { MAINTAINER, OWNER } from '../../../policy/levels.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'

/** Abilities on the audit events of a project. */
export const auditAbilities = abilitiesOn(project, {
  see_audit_events: { from: MAINTAINER },
})

/** Abilities on the audit events of a group. */
export const groupAuditAbilities = abilitiesOn(group, {
  see_group_audit_events: { from: OWNER },
})
