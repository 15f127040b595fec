import { z } from 'zod'

import { date, entity, type Presentation } from '../../http/entity.ts'
import { CustomAttribute } from '../users/custom_attributes/entity.ts'
import { groupAvatarUrl, namespaceUrl } from '../namespaces/entity.ts'
import { Project } from '../projects/entity.ts'
import {
  detailFields,
  laterFields,
  presentDetail,
  presentLater,
  presentSettings,
  settingFields,
} from './fields.ts'
import { presentSizes, sizeFields } from './sizes.ts'
import type { GroupDetailView, GroupView } from './views.ts'

const { request_access_enabled, ...settings } = settingFields

const fields = {
  id: z.int(),
  web_url: z.string(),
  name: z.string(),
  path: z.string(),
  description: z.string(),
  ...settings,
  avatar_url: z.string().nullable(),
  request_access_enabled,
  full_name: z.string(),
  full_path: z.string(),
  ...laterFields,
  ip_restriction_ranges: z.string().nullable().optional(),
  statistics: z.strictObject(sizeFields).optional(),
  custom_attributes: z.array(CustomAttribute.schema).optional(),
}

function present({ group, sizes, attributes, ranges }: GroupView, at: Presentation) {
  return {
    id: group.id,
    web_url: namespaceUrl(group, at),
    name: group.name,
    path: group.path,
    description: group.description,
    ...presentSettings(group),
    avatar_url: groupAvatarUrl(group, at),
    full_name: group.full_name,
    full_path: group.full_path,
    ...presentLater(group),
    ...(ranges ? { ip_restriction_ranges: group.ip_restriction_ranges } : {}),
    ...(sizes ? { statistics: presentSizes(sizes) } : {}),
    ...(attributes ? { custom_attributes: attributes.map((one) => CustomAttribute.present(one, at)) } : {}),
  }
}

/** A group in lists (spec core 2.1). */
export const Group = entity('Group', fields, present)

const invited = z.strictObject({
  group_id: z.int(),
  group_name: z.string(),
  group_full_path: z.string(),
  group_access_level: z.int(),
  expires_at: date().nullable(),
})

/** A single group, with its projects unless they are not wanted (spec core 2.1). */
export const GroupDetail = entity(
  'GroupDetail',
  {
    ...fields,
    shared_with_groups: z.array(invited),
    ...detailFields,
    projects: z.array(Project.schema).optional(),
    shared_projects: z.array(Project.schema).optional(),
  },
  (view: GroupDetailView, at) => ({
    ...present(view, at),
    shared_with_groups: view.invited.map((one) => ({ ...one })),
    ...presentDetail(view),
    ...(view.projects
      ? {
          projects: view.projects.own.map((one) => Project.present(one, at)),
          shared_projects: view.projects.shared.map((one) => Project.present(one, at)),
        }
      : {}),
  }),
)
