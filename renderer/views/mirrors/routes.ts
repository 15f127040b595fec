import type { RouteRecordRaw } from 'vue-router'

/** The pages of mirrors in the settings of a project. */
export const mirrorRoutes: RouteRecordRaw[] = [
  { path: 'mirrors', component: () => import('./MirrorsView.vue') },
  { path: 'mirrors/new', component: () => import('./MirrorView.vue') },
  { path: 'mirrors/:mirror(pull|\\d+)', component: () => import('./MirrorView.vue') },
]
