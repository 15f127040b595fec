import { Archive, Box, CloudDownload, Folder, LayoutTemplate, Link, Server } from '@lucide/vue'
import type { Component } from 'vue'
import type { RouteRecordRaw } from 'vue-router'
import { t } from '../../../locales/t.ts'

/** A way to begin a project, each with its own address. */
export type Way = { label: string; at: string; icon: Component }

/** There once the folder import is part of the window. */
const folder = Object.values(import.meta.glob('../../import/folder/FolderImport.vue'))[0]

export const WAYS: readonly Way[] = [
  { label: t('projects.empty'), at: '', icon: Box },
  { label: t('projects.template'), at: 'template', icon: LayoutTemplate },
  ...(folder ? [{ label: t('common.folder'), at: 'folder', icon: Folder }] : []),
  { label: t('projects.exported_file'), at: 'archive', icon: Archive },
  { label: t('common.url_2'), at: 'address', icon: Link },
  { label: t('projects.code_host'), at: 'host', icon: CloudDownload },
  { label: t('projects.code_server'), at: 'server', icon: Server },
]

export const newProjectRoutes: RouteRecordRaw[] = [
  {
    path: '/projects/new',
    component: () => import('./NewProjectFrame.vue'),
    meta: { whole: true },
    children: [
      { path: '', component: () => import('./EmptyView.vue') },
      { path: 'template', component: () => import('./TemplateView.vue') },
      ...(folder ? [{ path: 'folder', component: folder as () => Promise<{ default: Component }> }] : []),
      { path: 'archive', component: () => import('./ArchiveView.vue') },
      { path: 'address', component: () => import('./AddressView.vue') },
      { path: 'host', component: () => import('./HostView.vue') },
      { path: 'server', component: () => import('./ServerView.vue') },
    ],
  },
]
