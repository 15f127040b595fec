import type { RouteRecordRaw } from 'vue-router'

const page = () => import('./ProjectPlanning.vue')

export const projectRoutes: RouteRecordRaw[] = [
  { path: '-/labels', component: page, props: { view: 'labels' } },
  { path: '-/milestones', component: page, props: { view: 'milestones' } },
  { path: '-/milestones/:iid(\\d+)', component: page, props: { view: 'milestone' } },
]
