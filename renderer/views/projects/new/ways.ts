import { Archive, Box, CloudDownload, Folder, LayoutTemplate, Link, Server } from '@lucide/vue'
import type { Component } from 'vue'
import type { RouteRecordRaw } from 'vue-router'

/** A way to begin a project, each with its own address. */
export type Way = { label: string; at: string; icon: Component }

/** There once the folder import is part of the window. */
const folder = Object.values(import.meta.glob('../../import/folder/FolderImport.vue'))[0]

export const WAYS: readonly Way[] = [
  { label: 'Empty', at: '', icon: Box },
  { label: 'Template', at: 'template', icon: LayoutTemplate },
  ...(folder ? [{ label: 'Folder', at: 'folder', icon: Folder }] : []),
  { label: 'Exported file', at: 'archive', icon: Archive },
  { label: 'Address', at: 'address', icon: Link },
  { label: 'Code host', at: 'host', icon: CloudDownload },
  { label: 'Code server', at: 'server', icon: Server },
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
