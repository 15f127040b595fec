import type { RouteRecordRaw } from 'vue-router'

const list = () => import('./SnippetsView.vue')
const edit = () => import('./EditSnippetView.vue')
const one = () => import('./SnippetView.vue')

export const routes: RouteRecordRaw[] = [
  { path: '/dashboard/snippets', component: list },
  { path: '/explore/snippets', redirect: '/dashboard/snippets?scope=public' },
  { path: '/-/snippets', redirect: '/dashboard/snippets' },
  { path: '/-/snippets/new', component: edit },
  { path: '/-/snippets/:snippet_id(\\d+)', component: one, meta: { open: true } },
  { path: '/-/snippets/:snippet_id(\\d+)/edit', component: edit },
]

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/snippets', component: () => import('./ProjectSnippets.vue') },
  { path: '-/snippets/new', component: () => import('./ProjectSnippet.vue'), props: { view: 'edit' } },
  {
    path: '-/snippets/:snippet_id(\\d+)',
    component: () => import('./ProjectSnippet.vue'),
    props: { view: 'one' },
  },
  {
    path: '-/snippets/:snippet_id(\\d+)/edit',
    component: () => import('./ProjectSnippet.vue'),
    props: { view: 'edit' },
  },
]
