import type { Ctx } from '../../../../ctx.ts'
import { namespaceById } from '../../../namespaces/index.ts'
import { fullPath, projectById } from '../../../projects/index.ts'
import type { HookEvent } from '../../recording/hook-event.ts'
import { groupNames } from '../group-names.ts'
import { GROUP_VERBS } from '../member.ts'
import { memberOf, type Membership, timesOf, type Verb } from '../membership.ts'
import { roleWord } from '../roles.ts'

const PROJECT_VERBS: Readonly<Record<Verb, string>> = {
  add: 'user_add_to_team',
  update: 'user_update_for_team',
  remove: 'user_remove_from_team',
}

/** The event of a member for system hooks (spec administration 3.10); null where the place or the user is gone. */
export function teamEvent(ctx: Ctx, membership: Membership, verb: Verb): HookEvent | null {
  const member = memberOf(ctx, membership)
  const place = placeOf(ctx, membership)
  if (!member || !place) return null
  const event_name = (membership.project_id === undefined ? GROUP_VERBS : PROJECT_VERBS)[verb]
  const payload = { event_name, ...timesOf(ctx, membership, verb), ...place, ...member }
  return { kind: 'system', payload }
}

function placeOf(ctx: Ctx, { project_id, group_id, access_level }: Membership) {
  const word = roleWord(access_level)
  if (project_id === undefined) {
    const group = namespaceById(ctx.db, group_id ?? 0)
    return group && { ...groupNames(group), group_access: word }
  }
  const project = projectById(ctx.db, project_id)
  return (
    project && {
      project_name: project.name,
      project_path: project.path,
      project_path_with_namespace: fullPath(project),
      project_id: project.id,
      access_level: word,
      project_visibility: project.visibility,
    }
  )
}
