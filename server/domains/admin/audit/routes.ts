import { z } from 'zod'

import { endpoint } from '../../../http/endpoint.ts'
import { entity, time, row } from '../../../http/entity.ts'
import { choice, int, text, timestamp } from '../../../http/params.ts'
import { ok, page } from '../../../http/returns.ts'
import { fail } from '../../../lib/fail.ts'
import { group } from '../../groups/index.ts'
import { project } from '../../projects/index.ts'
import { auditAbilities, groupAuditAbilities } from './policy.ts'
import { getEvent, listEvents } from './record.ts'
import type { AuditRow } from './store.ts'

const AuditEvent = entity(
  'AuditEvent',
  {
    id: z.int(),
    author_id: z.int(),
    entity_id: z.int(),
    entity_type: z.string(),
    event_name: z.string(),
    details: z.record(z.string(), z.unknown()),
    created_at: time(),
  },
  row<AuditRow>(),
  (row) => ({
    event_name: row.event_type,
    details: {
      ...row.details,
      author_name: row.author_name,
      author_class: row.author_id > 0 ? 'User' : 'System',
      target_id: row.target_id,
      target_type: row.target_type,
      target_details: row.target_details,
      ip_address: row.ip_address,
      entity_path: row.entity_path,
    },
  }),
)

const filterParams = {
  created_after: timestamp().optional().describe('Limit to events at or after this time'),
  created_before: timestamp().optional().describe('Limit to events at or before this time'),
  author_id: int().optional().describe('Limit to events of the user with this ID'),
  author_username: text({ max: 255 }).optional().describe('Limit to events of the user with this username'),
  event_name: text({ max: 255 })
    .optional()
    .describe('Limit to events with this name, such as `member_created`'),
  cursor: text({ max: 1000 }).optional().describe('Cursor of the next page, from the `Link` header'),
}
const idParam = { audit_event_id: int({ min: 1 }).describe('The ID of the audit event') }
const eventPage = page(AuditEvent, { keyset: ['id'], type: 'AuditEvent' })

export const listOfInstance = endpoint('GET /audit_events', {
  summary: 'List instance audit events',
  can: 'admin',
  params: {
    ...filterParams,
    entity_type: choice('User', 'Group', 'Project', 'Instance')
      .optional()
      .describe('Limit to events of this type of entity'),
    entity_id: int()
      .optional()
      .describe('Limit to events of the entity with this ID. Requires `entity_type`'),
  },
  volatile: true,
  returns: eventPage,
  run: ({ params, paging, ...ctx }) => {
    if (params.entity_id !== undefined && params.entity_type === undefined)
      throw fail('parameter', 'entity_type is missing')
    return listEvents(ctx, params, paging)
  },
})

export const getOfInstance = endpoint('GET /audit_events/:audit_event_id', {
  summary: 'Get an instance audit event',
  can: 'admin',
  params: idParam,
  returns: ok(AuditEvent),
  run: ({ params, ...ctx }) => getEvent(ctx, params.audit_event_id, {}),
})

export const listOfGroup = endpoint('GET /groups/:id/audit_events', {
  summary: 'List group audit events',
  scope: group,
  can: groupAuditAbilities.see_group_audit_events,
  params: filterParams,
  volatile: true,
  returns: eventPage,
  run: ({ group: owner, params, paging, ...ctx }) =>
    listEvents(ctx, { ...params, entity_type: 'Group', entity_id: owner.id }, paging),
})

export const getOfGroup = endpoint('GET /groups/:id/audit_events/:audit_event_id', {
  summary: 'Get a group audit event',
  scope: group,
  can: groupAuditAbilities.see_group_audit_events,
  params: idParam,
  returns: ok(AuditEvent),
  run: ({ group: owner, params, ...ctx }) =>
    getEvent(ctx, params.audit_event_id, { entity_type: 'Group', entity_id: owner.id }),
})

export const listOfProject = endpoint('GET /projects/:id/audit_events', {
  summary: 'List project audit events',
  scope: project,
  can: auditAbilities.see_audit_events,
  params: filterParams,
  volatile: true,
  returns: eventPage,
  run: ({ project: owner, params, paging, ...ctx }) =>
    listEvents(ctx, { ...params, entity_type: 'Project', entity_id: owner.id }, paging),
})

export const getOfProject = endpoint('GET /projects/:id/audit_events/:audit_event_id', {
  summary: 'Get a project audit event',
  scope: project,
  can: auditAbilities.see_audit_events,
  params: idParam,
  returns: ok(AuditEvent),
  run: ({ project: owner, params, ...ctx }) =>
    getEvent(ctx, params.audit_event_id, { entity_type: 'Project', entity_id: owner.id }),
})
