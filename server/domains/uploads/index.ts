export {
  avatarParam,
  checkAvatar,
  endingOf,
  isPicture,
  removeAvatar,
  saveAvatar,
  type AvatarKind,
} from './avatars.ts'
export { avatarFile, cleanFileName } from './files.ts'
