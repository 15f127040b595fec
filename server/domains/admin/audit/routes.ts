import { endpoint } from '../../../http/endpoint.ts'
import { choice, int, text, timestamp } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { AuditEvent } from './entity.ts'
import { auditAbilities, groupAuditAbilities } from './policy.ts'
import { getEvent, listEvents } from './service.ts'

const filter = {
  created_after: timestamp().optional().describe('Only what happened then or later'),
  created_before: timestamp().optional().describe('Only what happened then or before'),
  author_id: int().optional().describe('Only what this user did'),
  author_username: text({ max: 255 }).optional().describe('Only what the user of that name did'),
  event_name: text({ max: 255 }).optional().describe('Only this kind, such as `member_created`'),
  cursor: text({ max: 1000 }).optional().describe('Where the next page begins, from the `Link` header'),
}
const id = { audit_event_id: int({ min: 1 }).describe('Id of the audit event') }
const paged = page(AuditEvent, { keyset: ['id'], type: 'AuditEvent' })

export const listOfInstance = endpoint('GET /audit_events', {
  summary: 'List what happened in the instance',
  can: 'admin',
  params: {
    ...filter,
    entity_type: choice('User', 'Group', 'Project', 'Instance')
      .optional()
      .describe('Only what happened to one of these'),
    entity_id: int().optional().describe('Only what happened to this one; `entity_type` says what it is'),
  },
  volatile: true,
  returns: paged,
  run: ({ params, paging, ...ctx }) => {
    if (params.entity_id !== undefined && params.entity_type === undefined)
      throw fail('parameter', 'entity_type is missing')
    return listEvents(ctx, params, paging)
  },
})

export const getOfInstance = endpoint('GET /audit_events/:audit_event_id', {
  summary: 'Get something that happened in the instance',
  can: 'admin',
  params: id,
  returns: ok(AuditEvent),
  run: ({ params, ...ctx }) => getEvent(ctx, params.audit_event_id, {}),
})

export const listOfGroup = endpoint('GET /groups/:id/audit_events', {
  summary: 'List what happened to a group',
  scope: group,
  can: groupAuditAbilities.see_group_audit_events,
  params: filter,
  volatile: true,
  returns: paged,
  run: ({ group: owner, params, paging, ...ctx }) =>
    listEvents(ctx, { ...params, entity_type: 'Group', entity_id: owner.id }, paging),
})

export const getOfGroup = endpoint('GET /groups/:id/audit_events/:audit_event_id', {
  summary: 'Get something that happened to a group',
  scope: group,
  can: groupAuditAbilities.see_group_audit_events,
  params: id,
  returns: ok(AuditEvent),
  run: ({ group: owner, params, ...ctx }) =>
    getEvent(ctx, params.audit_event_id, { entity_type: 'Group', entity_id: owner.id }),
})

export const listOfProject = endpoint('GET /projects/:id/audit_events', {
  summary: 'List what happened to a project',
  scope: project,
  can: auditAbilities.see_audit_events,
  params: filter,
  volatile: true,
  returns: paged,
  run: ({ project: owner, params, paging, ...ctx }) =>
    listEvents(ctx, { ...params, entity_type: 'Project', entity_id: owner.id }, paging),
})

export const getOfProject = endpoint('GET /projects/:id/audit_events/:audit_event_id', {
  summary: 'Get something that happened to a project',
  scope: project,
  can: auditAbilities.see_audit_events,
  params: id,
  returns: ok(AuditEvent),
  run: ({ project: owner, params, ...ctx }) =>
    getEvent(ctx, params.audit_event_id, { entity_type: 'Project', entity_id: owner.id }),
})
