import {
  Activity,
  Bell,
  Box,
  CircleDot,
  Cpu,
  FlaskConical,
  GitPullRequest,
  House,
  ScrollText,
  Settings2,
  Users,
} from '@lucide/vue'
import type { Component } from 'vue'
import { t } from '../../locales/t.ts'

/** A page of the window: an entry in the sidebar and the palette, and a shortcut. */
export type NavigationEntry = {
  label: string
  to: string
  icon: Component
  keys?: string
  /** Addresses that count as being there. */
  match: RegExp
  /** Work that waits for the user, counted next to the entry. */
  waiting?: 'todos' | 'mergeRequests' | 'issues'
  /** Only for administrators. */
  admin?: boolean
}

/** The sidebar, top to bottom. An area adds its line here on the day its views exist. */
export const entries: readonly NavigationEntry[] = [
  { label: t('common.home'), to: '/', icon: House, keys: 'g h', match: /^\/$/, waiting: 'todos' },
  { label: t('common.projects'), to: '/projects', icon: Box, keys: 'g p', match: /^\/projects(\/|$)/ },
  { label: t('common.groups'), to: '/groups', icon: Users, keys: 'g g', match: /^\/groups(\/new)?$/ },
  {
    label: t('common.merge_requests'),
    to: '/dashboard/merge_requests',
    icon: GitPullRequest,
    keys: 'g m',
    match: /^\/dashboard\/merge_requests/,
    waiting: 'mergeRequests',
  },
  {
    label: t('common.issues'),
    to: '/dashboard/issues',
    icon: CircleDot,
    keys: 'g i',
    match: /^\/dashboard\/issues/,
    waiting: 'issues',
  },
  {
    label: t('common.snippets'),
    to: '/dashboard/snippets',
    icon: ScrollText,
    keys: 'g n',
    match: /^\/(dashboard|-)\/snippets/,
  },
  { label: t('common.runners'), to: '/-/runners', icon: Cpu, keys: 'g r', match: /^\/-\/runners(\/|$)/ },
  {
    label: t('workbench.workbench'),
    to: '/-/workbench',
    icon: FlaskConical,
    keys: 'g w',
    match: /^\/-\/workbench(\/|$)/,
    admin: true,
  },
  {
    label: t('common.settings'),
    to: '/-/profile',
    icon: Settings2,
    keys: 'g s',
    match: /^\/(-\/profile|admin)(\/|$)/,
  },
]

/** Pages of the palette in addition to those of the sidebar. */
export const moreEntries: readonly NavigationEntry[] = [
  { label: t('frame.to_dos'), to: '/dashboard/todos', icon: Bell, keys: 'g t', match: /^\/dashboard\/todos/ },
  { label: t('common.activity'), to: '/activity', icon: Activity, match: /^\/activity/ },
]
