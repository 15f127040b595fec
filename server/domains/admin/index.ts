export { stopStorageMoves } from './storage_moves/running.ts'
