import type { RouteRecordRaw } from 'vue-router'

const edit = () => import('./EditFlagView.vue')

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/feature_flags', component: () => import('./FlagsView.vue') },
  { path: '-/feature_flags/new', component: edit },
  { path: '-/feature_flags/evaluate', component: () => import('./EvaluateView.vue') },
  { path: '-/feature_flags/:flag/edit', component: edit },
  { path: '-/feature_flags_user_lists', component: () => import('./UserListsView.vue') },
]
