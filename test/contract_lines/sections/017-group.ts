import { expect } from 'vitest'

import { teamOn } from '../access.ts'
import { hasFields, hasOnlyFields, section, line, type Fields } from '../section.ts'

const fields: Fields = {
  id: 'integer',
  name: 'string',
  path: 'string',
  description: 'string',
  visibility: 'string',
  share_with_group_lock: 'boolean',
  require_two_factor_authentication: 'boolean',
  two_factor_grace_period: 'integer',
  project_creation_level: 'string',
  auto_devops_enabled: 'boolean?',
  subgroup_creation_level: 'string',
  emails_disabled: 'boolean?',
  mentions_disabled: 'boolean?',
  lfs_enabled: 'boolean',
  default_branch_protection: 'integer',
  avatar_url: 'string?',
  web_url: 'string',
  request_access_enabled: 'boolean',
  full_name: 'string',
  full_path: 'string',
  parent_id: 'integer?',
  created_at: 'timestamp',
}

export const statements = section(
  'Group',
  async (w, root) => {
    const group = await w.make.group()
    await w.make.project({ namespace_id: group.id, with: 'readme' })
    return { group, at: `/groups/${group.id}`, root, team: await teamOn(w, 'groups', group) }
  },
  [
    line(
      'Fields: id, name, path, description, visibility, share_with_group_lock (boolean), require_two_factor_authentication (boolean), two_factor_grace_period (integer), project_creation_level, auto_devops_enabled, subgroup_creation_level, emails_disabled, mentions_disabled, lfs_enabled, default_branch_protection (integer), avatar_url, web_url, request_access_enabled, full_name, full_path, file_template_project_id, parent_id (integer or null), created_at, and ip_restriction_ranges (top-level list only).',
      'GET /groups?search= → these fields; ip_restriction_ranges there only',
      async ({ root, group, at }) => {
        const { body: list } = await root.get(`/groups?search=${group.path}&top_level_only=true`)
        hasFields(list[0], { ...fields, ip_restriction_ranges: 'any' })
        hasFields((await root.get(at)).body, fields)
      },
    ),
    line(
      'With `statistics=true` and an administrator caller, a `statistics` object is added with integers: storage_size, repository_size, wiki_size, lfs_objects_size, job_artifacts_size, pipeline_artifacts_size, packages_size, snippets_size, uploads_size.',
      'GET /groups?statistics=true by an administrator → statistics; by an owner → none',
      async ({ root, group, team }) => {
        const { body: list } = await root.get(`/groups?statistics=true&search=${group.path}`)
        const names = [
          'storage_size',
          'repository_size',
          'wiki_size',
          'lfs_objects_size',
          'job_artifacts_size',
          'pipeline_artifacts_size',
          'packages_size',
          'snippets_size',
          'uploads_size',
        ]
        const { body: owned } = await team.clients.owner.get(`/groups?statistics=true&search=${group.path}`)
        expect([owned[0].id, 'statistics' in owned[0]]).toEqual([group.id, false])
        hasOnlyFields(list[0].statistics, Object.fromEntries(names.map((name) => [name, 'integer' as const])))
      },
    ),
    line(
      'Group project entries (list of projects in a group) include: id, description, default_branch, tag_list (deprecated, use topics), topics, archived, visibility, ssh_url_to_repo, http_url_to_repo, web_url, readme_url, name, name_with_namespace, path, path_with_namespace, issues_enabled, merge_requests_enabled, wiki_enabled, jobs_enabled, snippets_enabled, created_at, last_activity_at, shared_runners_enabled, creator_id, namespace `{id, name, path, kind, full_path, parent_id, avatar_url, web_url}`, avatar_url, star_count, forks_count, open_issues_count, public_jobs, shared_with_groups, request_access_enabled, `_links` (self, issues, merge_requests, repo_branches, labels, events, members). The complete field set of a project: not shown.',
      'GET /groups/:id/projects → these fields',
      async ({ root, at }) => {
        const { body: list } = await root.get(`${at}/projects`)
        hasFields(list[0], {
          id: 'integer',
          description: 'string?',
          default_branch: 'string?',
          tag_list: 'array',
          topics: 'array',
          archived: 'boolean',
          visibility: 'string',
          ssh_url_to_repo: 'string',
          http_url_to_repo: 'string',
          web_url: 'string',
          readme_url: 'string?',
          name: 'string',
          name_with_namespace: 'string',
          path: 'string',
          path_with_namespace: 'string',
          issues_enabled: 'boolean',
          merge_requests_enabled: 'boolean',
          wiki_enabled: 'boolean',
          jobs_enabled: 'boolean',
          snippets_enabled: 'boolean',
          created_at: 'timestamp',
          last_activity_at: 'timestamp',
          shared_runners_enabled: 'boolean',
          creator_id: 'integer',
          namespace: 'object',
          avatar_url: 'string?',
          star_count: 'integer',
          forks_count: 'integer',
          open_issues_count: 'integer',
          public_jobs: 'boolean',
          shared_with_groups: 'array',
          request_access_enabled: 'boolean',
          _links: 'object',
        })
        hasFields(list[0].namespace, {
          id: 'integer',
          name: 'string',
          path: 'string',
          kind: 'string',
          full_path: 'string',
          parent_id: 'integer?',
          avatar_url: 'string?',
          web_url: 'string',
        })
        for (const name of [
          'self',
          'issues',
          'merge_requests',
          'repo_branches',
          'labels',
          'events',
          'members',
        ])
          expect(list[0]._links).toHaveProperty(name)
      },
    ),
  ],
)
