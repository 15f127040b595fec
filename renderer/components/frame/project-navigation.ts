import {
  Activity,
  BookOpen,
  CircleDot,
  CodeXml,
  Columns3,
  Flag,
  GitBranch,
  GitCommitHorizontal,
  GitPullRequest,
  Box,
  Package,
  ScrollText,
  Server,
  Settings2,
  Users,
  Workflow,
} from '@lucide/vue'
import type { Component } from 'vue'
import type { Project } from '../../api/types.ts'
import type { Ability } from '../../composables/useAbility.ts'
import { projectUrl } from '../../composables/paths.ts'
import { t } from '../../locales/t.ts'

/** A page of a project: an entry in its navigation, and in the palette while the project is open. */
export type ProjectEntry = {
  label: string
  icon: Component
  keys?: string
  /** The link, for this project. */
  to: (project: Project) => string
  /** The path after the project's path. */
  match: RegExp
  /** The entry is shown only if this returns true. */
  when?: (project: Project) => boolean
  /** Shown to users with one of these abilities. */
  abilities?: readonly Ability[]
  /** The count at the end. */
  counted?: 'merge_requests' | 'issues'
}

const hasCode = (project: Project) =>
  project.empty_repo !== true &&
  project.repository_access_level !== 'disabled' &&
  Boolean(project.default_branch)

const at = (rest: (project: Project) => string) => (project: Project) =>
  projectUrl(project.path_with_namespace, rest(project))

/** The project's navigation column in its groups. An area adds its line here on the day its views exist. */
export const projectEntries: readonly (readonly ProjectEntry[])[] = [
  [
    { label: t('common.overview'), icon: Box, to: at(() => ''), match: /^$/ },
    { label: t('common.activity'), icon: Activity, to: at(() => 'activity'), match: /^activity/ },
  ],
  [
    {
      label: t('common.code'),
      icon: CodeXml,
      to: at((project) => `tree/${project.default_branch}`),
      match: /^(tree|blob|raw|blame|edit|new|search|find_file)\//,
      when: hasCode,
    },
    {
      label: t('common.commits'),
      icon: GitCommitHorizontal,
      to: at((project) => `commits/${project.default_branch}`),
      match: /^(commits?|graphs|network)(\/|$)/,
      when: hasCode,
    },
    {
      label: t('frame.branches_tags'),
      icon: GitBranch,
      to: at(() => 'branches'),
      match: /^(branches|tags|compare)(\/|$)/,
      when: hasCode,
    },
  ],
  [
    {
      label: t('common.merge_requests'),
      icon: GitPullRequest,
      to: at(() => 'merge_requests'),
      match: /^merge_requests(\/|$)/,
      abilities: ['read_merge_request'],
      counted: 'merge_requests',
    },
    {
      label: t('common.issues'),
      icon: CircleDot,
      to: at(() => 'issues'),
      match: /^(issues|labels|milestones)(\/|$)/,
      abilities: ['read_issue'],
      counted: 'issues',
    },
    {
      label: t('common.boards'),
      icon: Columns3,
      to: at(() => 'boards'),
      match: /^boards(\/|$)/,
      abilities: ['read_board'],
    },
  ],
  [
    {
      label: t('common.pipelines'),
      icon: Workflow,
      to: at(() => 'pipelines'),
      match: /^(pipelines|jobs|pipeline_schedules|ci)(\/|$)/,
      abilities: ['read_pipelines'],
    },
    {
      label: t('common.environments'),
      icon: Server,
      to: at(() => 'environments'),
      match: /^environments(\/|$)/,
      when: (project) => project.builds_access_level !== 'disabled',
      abilities: ['read_environment'],
    },
    {
      label: t('common.feature_flags'),
      icon: Flag,
      to: at(() => 'feature_flags'),
      match: /^feature_flags(_user_lists)?(\/|$)/,
      when: (project) => project.feature_flags_access_level !== 'disabled',
      abilities: ['read_feature_flags'],
    },
    {
      label: t('common.releases'),
      icon: Package,
      to: at(() => 'releases'),
      match: /^releases(\/|$)/,
      abilities: ['read_release'],
    },
  ],
  [
    {
      label: t('common.wiki'),
      icon: BookOpen,
      to: at(() => 'wikis/home'),
      match: /^wikis(\/|$)/,
      when: (project) => project.wiki_access_level !== 'disabled',
      abilities: ['read_wiki'],
    },
    {
      label: t('common.snippets'),
      icon: ScrollText,
      to: at(() => 'snippets'),
      match: /^snippets(\/|$)/,
      when: (project) => project.snippets_access_level !== 'disabled',
      abilities: ['read_snippets'],
    },
    { label: t('common.members'), icon: Users, to: at(() => 'project_members'), match: /^project_members/ },
    {
      label: t('common.settings'),
      icon: Settings2,
      to: at(() => 'settings/general'),
      match: /^settings\//,
      abilities: ['update_project', 'archive_project'],
    },
  ],
]
