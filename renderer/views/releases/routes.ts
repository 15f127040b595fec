import type { RouteRecordRaw } from 'vue-router'

const edit = () => import('./EditReleaseView.vue')

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/releases', component: () => import('./ReleasesView.vue') },
  { path: '-/releases/new', component: edit },
  { path: '-/releases/:tag', component: () => import('./ReleaseView.vue') },
  { path: '-/releases/:tag/edit', component: edit },
]
