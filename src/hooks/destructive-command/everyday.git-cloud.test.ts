/** A working day's commands around git, packages, containers and clouds, and the ones nobody wants on such a day. */
import { describe, expect, it } from "vitest";
import { judgedByAll } from "../hooks.fixture.ts";
import { CASE_WORLD, judgeCase } from "./cases.ts";
import { PACKS } from "./packs.ts";

const lines = (text: string) =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);

const SAFE = lines(`
git status
git status -sb
git status --porcelain
git log
git log --oneline -10
git log --graph --all --decorate
git log -p -- src/app.ts
git log --grep='push --force'
git log --format='%h %s' main..HEAD
git log -S'git reset --hard' --oneline
git diff
git diff --staged
git diff HEAD~1 -- src
git diff main...feature --stat
git show HEAD
git show HEAD:src/app.ts
git show stash@{0}
git blame src/app.ts
git shortlog -sn
git add .
git add -A
git add -p
git add src/app.ts tests/
git commit -m "add login"
git commit -am "fix: reset --hard was documented wrongly"
git commit --amend --no-edit
git commit --amend -m "new message"
git commit --fixup HEAD~1
git commit --allow-empty -m "trigger CI"
git commit -F message.txt
git push
git push -u origin feature
git push origin HEAD
git push origin main
git push origin feature
git push origin HEAD:refs/for/main
git push --set-upstream origin feature/login
git push --tags
git push --follow-tags origin main
git push origin v1.2.3
git push --force origin feature-branch
git push --force-with-lease origin my-feature
git push -f origin fix/typo
git push --force origin main-fix
git push --force origin maintenance
git push --dry-run
git push origin --dry-run --delete feature
git pull
git pull --rebase
git pull origin main
git pull --ff-only
git fetch
git fetch --all --prune
git fetch origin main:main
git fetch --tags --force
git clone https://github.com/o/r.git
git clone --depth 1 git@github.com:o/r.git /tmp/r
git clone --mirror https://github.com/o/r.git
git init
git init -b main
git checkout main
git checkout -b feature/login
git checkout -b hotfix origin/main
git checkout feature/some-branch
git checkout v2.0.0
git checkout -
git checkout --track origin/feature
git checkout --orphan gh-pages
git checkout --detach
git checkout a1b2c3d
git checkout HEAD^
git checkout --ours src/app.ts
git checkout --theirs yarn.lock
git checkout -q main
git checkout latest
git switch main
git switch -c feature
git switch --create feature origin/main
git switch --detach HEAD~2
git switch -
git restore --staged src/app.ts
git restore --staged .
git restore -S src
git reset
git reset HEAD
git reset HEAD src/app.ts
git reset --soft HEAD~1
git reset --mixed HEAD~2
git reset -p
git reset -- src/app.ts
git branch
git branch -a
git branch -vv
git branch -r
git branch feature
git branch -d merged-feature
git branch -m old new
git branch -M main
git branch --show-current
git branch --merged main
git branch --contains abc123
git branch --set-upstream-to=origin/main
git branch -u origin/main
git branch --list 'feature/*'
git tag
git tag -l 'v*'
git tag v1.2.3
git tag -a v1.2.3 -m "release: delete old things"
git tag --points-at HEAD
git stash
git stash push -m "wip"
git stash -u
git stash list
git stash show -p
git stash pop
git stash apply stash@{1}
git stash branch rescue
git rebase main
git rebase -i HEAD~3
git rebase --continue
git rebase --abort
git rebase --onto main a b
git merge feature
git merge --no-ff feature
git merge --abort
git merge --squash feature
git cherry-pick abc123
git cherry-pick --abort
git revert HEAD
git revert --no-edit abc123
git clean -n
git clean -nd
git clean --dry-run -fdx
git remote -v
git remote add upstream https://github.com/o/r.git
git remote set-url origin git@github.com:o/r.git
git remote show origin
git remote prune origin
git config user.name "Me"
git config --list
git config --get remote.origin.url
git config core.hooksPath .husky
git config --global alias.st status
git config pull.rebase true
git submodule update --init --recursive
git submodule status
git submodule add https://github.com/o/r.git lib
git submodule foreach git pull
git worktree add ../feature feature
git worktree list
git worktree remove ../feature
git worktree prune
git bisect start
git bisect good
git bisect run npm test
git bisect reset
git reflog
git reflog show HEAD
git rev-parse HEAD
git rev-parse --abbrev-ref HEAD
git rev-list --count HEAD
git ls-files
git ls-files --others --exclude-standard
git ls-remote --heads origin
git ls-tree -r HEAD
git grep 'reset --hard'
git describe --tags
git archive -o out.tar HEAD
git apply fix.patch
git am fix.patch
git format-patch -1
git rm --cached secrets.env
git rm -r --cached node_modules
git rm src/old.ts
git mv a.ts b.ts
git gc
git gc --auto
git fsck
git count-objects -v
git maintenance run
git sparse-checkout set src
git notes add -m x
git update-index --assume-unchanged .env.local
git symbolic-ref HEAD
git symbolic-ref refs/remotes/origin/HEAD
git merge-base main HEAD
git cat-file -p HEAD
git lfs install
git lfs pull
git lfs track '*.psd'
git -C ../other status
git -C ../other log --oneline
git --no-pager diff
git --git-dir=.git log
git -c core.pager=cat log
git help reset
git push --help
git reset --help
git clean -h
GIT_PAGER=cat git log
GIT_EDITOR=true git rebase --continue
echo "git push --force origin main"
echo 'run git reset --hard' >> README.md
grep -rn "git clean -fdx" docs
rg 'git stash clear'
cat notes.md | grep 'git push -f'
gh issue create --title "bug" --body "git reset --hard loses work"
gh pr create --fill
gh pr create --title "Drop git push --force" --body "we ran terraform destroy"
gh pr list
gh pr view 12 --comments
gh pr diff 12
gh pr checkout 12
gh pr checks
gh pr merge 12 --squash --delete-branch
gh pr close 12
gh pr comment 12 --body "please delete"
gh pr review 12 --approve
gh issue list
gh issue view 3
gh issue close 3
gh issue comment 3 -b "kubectl delete ns prod"
gh repo view
gh repo clone o/r
gh repo create o/r --private
gh repo fork
gh release list
gh release view v1.0
gh release download v1.0
gh run list
gh run view 1 --log
gh run watch
gh run rerun 1
gh run cancel 1
gh workflow list
gh workflow run ci.yml
gh api repos/o/r/pulls
gh api graphql -f query='query { viewer { login } }'
gh api -X POST repos/o/r/issues -f title=x
gh auth status
gh secret list
gh secret set KEY --body x
gh label create bug
gh search code 'git push --force'
glab mr list
glab mr create --fill
glab ci view
glab issue list
npm install
npm ci
npm test
npm run build
npm run publish-docs
npm publish --dry-run
npm pack
npm version minor
npm view react
npm outdated
npm owner ls react
npm dist-tag ls react
npm uninstall left-pad
npm audit fix
npm whoami
npm login
yarn install
yarn add react
yarn remove left-pad
yarn build
pnpm install
pnpm -r build
pnpm publish --dry-run
bun install
bun test
cargo build
cargo test
cargo package --list
cargo publish --dry-run
cargo publish -n
cargo clean
cargo install ripgrep
poetry install
poetry build
poetry add requests
uv sync
uv pip install requests
uv build
twine check dist/*
python -m build
python -m pip install twine
python -m pytest
gem build x.gemspec
gem install rails
bundle install
mvn test
mvn clean install
mvn package -DskipTests
./gradlew build
./gradlew test
./gradlew publishToMavenLocal
dotnet publish -c Release
dotnet build
goreleaser build --snapshot
vsce package
npx vsce ls
docker ps
docker ps -a
docker images
docker logs -f web
docker build -t app .
docker build --no-cache -t app:dev .
docker buildx build --platform linux/amd64 -t app --load .
docker run --rm app
docker run -it --rm -v $(pwd):/app -w /app node:20 npm test
docker run -d --name web -p 80:80 nginx
docker run -e POSTGRES_PASSWORD=x -d postgres
docker run --rm -v "$PWD/data":/data alpine ls /data
docker exec -it web bash
docker exec web ls /app
docker stop web
docker start web
docker restart web
docker rm web
docker rm old-one old-two
docker rmi app:old
docker kill web
docker pull redis:7
docker tag app me/app:1.0
docker inspect web
docker cp web:/app/log.txt .
docker network ls
docker network create net
docker volume ls
docker volume create data
docker system df
docker info
docker stats --no-stream
docker top web
docker history app
docker login
docker save app -o app.tar
docker load -i app.tar
docker compose up -d
docker compose up --build
docker compose down
docker compose down --remove-orphans
docker compose logs -f web
docker compose ps
docker compose exec web sh
docker compose build
docker compose pull
docker compose restart web
docker compose stop
docker compose config
docker compose run --rm web npm test
docker-compose up -d
docker-compose -f dev.yml down
docker context ls
docker volume inspect data
podman ps
podman build -t app .
podman run --rm alpine ls
kubectl get pods
kubectl get pods -A
kubectl get all -n prod
kubectl get ns
kubectl get deploy web -o yaml
kubectl describe pod web-1
kubectl logs -f deploy/web
kubectl logs web-1 -c app --previous
kubectl exec -it web-1 -- bash
kubectl apply -f k8s/
kubectl apply -k overlays/dev
kubectl apply -f app.yaml --dry-run=client
kubectl create ns dev
kubectl create secret generic x --from-literal=a=b
kubectl delete pod web-1 --dry-run=client
kubectl diff -f app.yaml
kubectl rollout status deploy/web
kubectl rollout restart deploy/web
kubectl rollout history deploy/web
kubectl scale deploy web --replicas=3
kubectl port-forward svc/web 8080:80
kubectl top pods
kubectl config get-contexts
kubectl config use-context dev
kubectl cluster-info
kubectl explain pod.spec
kubectl label pod web-1 a=b
kubectl annotate pod web-1 a=b
kubectl set image deploy/web web=app:2
kubectl edit deploy web
kubectl cp web-1:/tmp/x x
kubectl wait --for=delete pod/web-1
kubectl wait --for=condition=ready pod -l app=web
kubectl auth can-i delete pods
kubectl api-resources
kubectl uncordon node-1
kubectl run tmp --rm -it --image=alpine -- sh
kubectl get events --sort-by=.lastTimestamp
kustomize build overlays/dev
helm list -A
helm install web ./chart
helm upgrade --install web ./chart -f values.yaml
helm template ./chart
helm lint ./chart
helm status web
helm get values web
helm history web
helm repo add bitnami https://charts.bitnami.com/bitnami
helm repo update
helm repo remove bitnami
helm search repo redis
helm uninstall web --dry-run
helm dependency update
kind create cluster
kind get clusters
minikube start
minikube status
minikube stop
k3d cluster create dev
terraform init
terraform init -upgrade
terraform fmt -recursive
terraform validate
terraform plan
terraform plan -out=tfplan
terraform plan -destroy
terraform apply tfplan
terraform apply
terraform show
terraform output -json
terraform state list
terraform state show aws_instance.web
terraform state pull
terraform workspace list
terraform workspace select dev
terraform workspace new dev
terraform import aws_instance.web i-1
terraform providers
terraform -chdir=infra plan
terraform version
terraform graph
tofu plan
terragrunt plan
terragrunt run-all plan
pulumi preview
pulumi up
pulumi stack ls
pulumi stack output
pulumi config set a b
cdk synth
cdk diff
cdk ls
cdk deploy
npx cdk bootstrap
serverless deploy
sam build
sam local invoke
ansible-playbook site.yml --check
aws sts get-caller-identity
aws s3 ls
aws s3 ls s3://b --recursive
aws s3 cp file s3://b/file
aws s3 cp s3://b/file . --profile dev
aws s3 sync ./dist s3://b
aws s3 sync ./dist s3://b --delete --dryrun
aws s3 mb s3://new
aws s3 presign s3://b/file
aws s3api head-object --bucket b --key k
aws s3api list-object-versions --bucket b
aws ec2 describe-instances
aws ec2 describe-instances --filters Name=instance-state-name,Values=terminated
aws ec2 run-instances --image-id ami-1
aws ec2 start-instances --instance-ids i-1
aws rds describe-db-instances
aws dynamodb scan --table-name t
aws dynamodb put-item --table-name t --item file://i.json
aws lambda list-functions
aws lambda invoke --function-name f out.json
aws lambda update-function-code --function-name f --zip-file fileb://f.zip
aws logs tail /aws/lambda/f --follow
aws logs filter-log-events --log-group-name g --filter-pattern delete
aws cloudformation describe-stacks
aws cloudformation deploy --template-file t.yml --stack-name s
aws cloudformation validate-template --template-body file://t.yml
aws iam list-users
aws iam get-role --role-name r
aws ecr get-login-password
aws ecs list-services --cluster c
aws ecs update-service --cluster c --service s --force-new-deployment
aws eks update-kubeconfig --name c
aws ssm get-parameter --name p
aws secretsmanager get-secret-value --secret-id s
aws sqs receive-message --queue-url q
aws sns publish --topic-arn t --message delete
aws configure list
aws sso login
aws --region us-east-1 ec2 describe-vpcs
aws kms list-keys
aws route53 list-hosted-zones
aws iam get-service-linked-role-deletion-status --deletion-task-id x
gcloud auth login
gcloud auth list
gcloud config list
gcloud config set project p
gcloud projects list
gcloud compute instances list
gcloud compute instances describe vm
gcloud compute ssh vm
gcloud compute instances create vm
gcloud container clusters get-credentials c
gcloud run deploy web --image i
gcloud run services list
gcloud builds submit
gcloud logging read 'severity>=ERROR'
gcloud sql instances list
gcloud sql connect db
gcloud secrets versions access latest --secret=s
gcloud storage ls
gcloud storage cp a gs://b/a
gcloud functions deploy f
gcloud app deploy
gsutil ls
gsutil cp a gs://b
gsutil -m rsync -r dist gs://b
bq ls
bq query 'select 1'
bq show dataset.table
az login
az account show
az group list
az group create -n rg -l westeurope
az vm list -o table
az vm start -n vm -g rg
az storage blob list -c c
az webapp log tail -n x -g rg
az deployment group create -g rg -f main.bicep
az deployment group what-if -g rg -f main.bicep
az aks get-credentials -n c -g rg
doctl compute droplet list
doctl auth init
heroku logs --tail
heroku config
heroku ps
heroku config:set A=b
heroku releases
heroku run bash
fly status
fly deploy
fly logs
fly secrets list
flyctl scale count 2
vercel
vercel --prod
vercel ls
vercel env pull
vercel logs
netlify deploy --prod
netlify status
wrangler dev
wrangler deploy
wrangler tail
wrangler kv key get k
wrangler d1 execute db --command "select 1"
wrangler secret put KEY
supabase start
supabase status
supabase db diff
supabase db push
supabase migration new x
supabase functions deploy f
firebase deploy
firebase emulators:start
firebase projects:list
railway up
railway logs
turso db list
turso db shell db
vault status
vault kv get secret/x
vault kv put secret/x a=b
doppler run -- npm start
op read op://vault/item/field
rclone ls remote:
rclone copy a remote:b
restic backup ~/work
restic snapshots
borg list repo
stripe listen --forward-to localhost:3000
stripe trigger payment_intent.succeeded
sentry-cli releases new 1.0
kafka-topics.sh --list --bootstrap-server b:9092
rabbitmqctl list_queues
curl -X DELETE http://localhost:3000/api/users/1
curl -X POST https://api.example.com/x -d '{"action":"delete"}'
curl https://api.github.com/repos/o/r
curl -sS -X GET https://api.example.com/delete
wget https://example.com/x.tgz
`);

const DESTRUCTIVE = lines(String.raw`
git reset --hard
git reset --hard HEAD
git reset --hard HEAD~1
git reset --hard origin/main
git reset --hard @{u}
git reset --hard upstream/main
git reset --hard abc1234
git reset --quiet --hard
git reset HEAD --hard
git reset --merge
git reset --merge HEAD~1
git -C /repo reset --hard
git --git-dir=/r/.git reset --hard
git -c a.b=c reset --hard
git --no-pager reset --hard
git checkout -- .
git checkout -- src/app.ts tests/a.ts
git checkout .
git checkout ./
git checkout HEAD -- .
git checkout main -- src/app.ts
git checkout HEAD~3 src/app.ts
git checkout stash@{0} -- file
git checkout -f
git checkout -f main
git checkout -qf main
git checkout --force
git checkout README.md
git checkout *.ts
git checkout -B main origin/main
git restore .
git restore src/app.ts
git restore --worktree .
git restore --source HEAD~1 src/app.ts
git restore --staged --worktree .
git restore -W -S .
git switch -f main
git switch --discard-changes feature
git switch -C feature
git clean -f
git clean -fd
git clean -df
git clean -fdx
git clean -xfd
git clean -f -d -x
git clean --force
git clean -ffxd
git clean -fd .
git push --force
git push -f
git push -f origin
git push --force origin main
git push -f origin master
git push origin main --force
git push origin main -f
git push origin +main
git push origin +HEAD:main
git push --force upstream main
git push --force-with-lease
git push --force-with-lease origin main
git push --force-with-lease=main origin main
git push --force-if-includes --force-with-lease origin master
git push -fu origin main
git push --force origin release/2024
git push --force origin develop
git push --force origin HEAD
git push --mirror
git push --mirror backup
git push --all --force
git push --prune origin
git push origin --delete main
git push origin --delete feature
git push origin -d feature
git push origin :main
git push origin :feature
git push origin :refs/tags/v1
git push --delete origin v1.0
git branch -D feature
git branch -D a b c
git branch -d --force feature
git branch --delete -f feature
git branch -f main HEAD~5
git tag -d v1.0
git tag --delete v1.0 v1.1
git stash drop
git stash drop stash@{0}
git stash clear
git reflog expire --expire=now --all
git reflog delete HEAD@{2}
git gc --prune=now
git gc --prune=now --aggressive
git prune
git filter-branch --force --index-filter 'git rm --cached --ignore-unmatch x' HEAD
git filter-repo --invert-paths --path x
git update-ref -d refs/heads/main
git update-ref -d HEAD
git worktree remove --force ../x
git worktree remove -f ../x
git submodule deinit --force lib
git submodule deinit -f --all
git symbolic-ref -d HEAD
git rm -rf .
git rm -r *
git lfs prune
sudo git reset --hard
sudo -u me git clean -fdx
bash -c "git reset --hard"
sh -c 'cd repo && git push -f'
env A=b git push --force origin main
A=b git push --force origin main
nohup git clean -fdx &
time git reset --hard
git status && git reset --hard
git fetch; git reset --hard origin/main
true || git push -f origin main
(git stash clear)
{ git stash drop; }
$(git reset --hard)
echo $(git clean -fd)
git branch | grep old | xargs git branch -D
find . -name .git -execdir git clean -fdx \;
for b in a b; do git branch -D $b; done
while read b; do git push origin --delete "$b"; done < list
if git diff --quiet; then git reset --hard; fi
eval 'git push --force'
cd repo && git checkout -- .
echo 'git reset --hard' | bash
bash <<< 'git clean -fdx'
X='git reset --hard'; $X
alias nuke='git reset --hard'; nuke
gh repo delete o/r --yes
gh release delete v1.0 -y
gh secret delete KEY
gh variable delete KEY
gh api -X DELETE repos/o/r
gh api --method DELETE /repos/o/r/hooks/1
gh api repos/o/r/branches/main/protection -X DELETE
gh ssh-key delete 1
gh gist delete abc
gh issue delete 1
gh run delete 1
gh cache delete --all
gh workflow disable ci.yml
gh repo archive o/r
glab repo delete o/r
glab release delete v1
glab variable delete X
glab api -X DELETE projects/1
npm publish
npm unpublish pkg@1.0.0
npm unpublish pkg --force
npm deprecate pkg@1 "old"
npm owner rm user pkg
npm dist-tag add pkg@1.0.0 latest
npm access public pkg
yarn publish
yarn npm publish
pnpm publish --no-git-checks
bun publish
cargo publish
cargo yank --version 1.0.0 crate
twine upload dist/*
python3 -m twine upload --repository pypi dist/*
uv publish
poetry publish
flit publish
gem push x.gem
gem yank x -v 1
mvn clean deploy
./gradlew publish
docker push me/app
helm push c.tgz oci://r
gh release create v1 --generate-notes
vsce publish minor
goreleaser release --clean
npx semantic-release
docker system prune
docker system prune -a -f
docker system prune --all --force --volumes
docker volume prune -f
docker image prune -af
docker container prune -f
docker network prune -f
docker builder prune -af
docker rm -f web
docker rm -vf web
docker rm -f $(docker ps -aq)
docker rm $(docker ps -a -q)
docker rmi -f app
docker rmi $(docker images -q)
docker stop $(docker ps -q)
docker kill $(docker ps -q)
docker ps -aq | xargs docker rm -f
docker volume rm data
docker compose down -v
docker compose down --volumes
docker-compose down -v --rmi all
docker compose -f x.yml down -v
docker run -v /:/host alpine rm -rf /host
docker run --privileged -it alpine sh
docker stack rm app
docker swarm leave -f
sudo docker system prune -af
podman system prune -af
podman rm -fa
podman volume rm data
kubectl delete ns prod
kubectl delete namespace prod
kubectl delete all --all -n prod
kubectl delete pods --all
kubectl delete pvc --all
kubectl delete pvc data-0
kubectl delete pv x
kubectl delete crd x
kubectl delete deployment web
kubectl delete -f manifests/
kubectl delete svc web -n prod
kubectl -n prod delete pod web-1 --force --grace-period=0
kubectl --context=prod delete ns x
kubectl drain node-1 --ignore-daemonsets
kubectl cordon node-1
kubectl scale deploy/web --replicas=0
kubectl rollout undo deploy/web
kubectl replace --force -f x.yaml
oc delete project x
helm uninstall web
helm delete web
helm rollback web 1
kind delete cluster
minikube delete
k3s-uninstall.sh
terraform destroy
terraform destroy -auto-approve
terraform apply -auto-approve
terraform apply -destroy
terraform -chdir=x destroy -auto-approve
terraform state rm x
terraform workspace delete dev
terraform force-unlock abc
terraform taint x
tofu destroy
terragrunt run-all destroy
terragrunt destroy --terragrunt-non-interactive
pulumi destroy -y
pulumi stack rm dev --force
pulumi up --yes
cdk destroy --force
npx serverless remove
aws s3 rb s3://b --force
aws s3 rm s3://b/ --recursive
aws s3 sync . s3://b --delete
aws s3api delete-object --bucket b --key k
aws s3api delete-bucket --bucket b
aws ec2 terminate-instances --instance-ids i-1
aws ec2 delete-volume --volume-id v
aws ec2 delete-security-group --group-id sg
aws rds delete-db-instance --db-instance-identifier d
aws rds delete-db-cluster --db-cluster-identifier c
aws dynamodb delete-table --table-name t
aws dynamodb delete-item --table-name t --key file://k
aws lambda delete-function --function-name f
aws iam delete-user --user-name u
aws iam delete-role --role-name r
aws iam detach-role-policy --role-name r --policy-arn a
aws cloudformation delete-stack --stack-name s
aws eks delete-cluster --name c
aws ecs delete-service --service s --force
aws ecr delete-repository --repository-name r --force
aws logs delete-log-group --log-group-name g
aws kms schedule-key-deletion --key-id k --pending-window-in-days 7
aws secretsmanager delete-secret --secret-id s
aws ssm delete-parameter --name p
aws sqs purge-queue --queue-url q
aws sqs delete-queue --queue-url q
aws sns delete-topic --topic-arn t
aws route53 delete-hosted-zone --id z
aws cloudfront delete-distribution --id d --if-match e
aws apigateway delete-rest-api --rest-api-id a
aws elbv2 deregister-targets --target-group-arn t --targets Id=i
aws --profile prod --region us-east-1 ec2 terminate-instances --instance-ids i-1
aws backup delete-recovery-point --backup-vault-name v --recovery-point-arn r
gcloud projects delete p
gcloud compute instances delete vm --quiet
gcloud compute disks delete d
gcloud sql instances delete db
gcloud sql databases delete x --instance=i
gcloud container clusters delete c
gcloud run services delete web
gcloud functions delete f
gcloud storage rm -r gs://b
gcloud storage buckets delete gs://b
gcloud secrets delete s
gcloud kms keys versions destroy 1 --key k
gcloud iam service-accounts delete sa
gcloud pubsub topics delete t
gcloud dns managed-zones delete z
gcloud beta compute instances delete vm
gsutil rm gs://b/x
gsutil -m rm -r gs://b
gsutil rb gs://b
gsutil rsync -d -r . gs://b
bq rm -f -t d.t
bq rm -r -f d
az group delete -n rg --yes --no-wait
az vm delete -n vm -g rg --yes
az storage account delete -n x
az storage container delete -n x
az storage blob delete-batch -s c
az keyvault delete -n k
az keyvault purge -n k
az sql server delete -n s -g rg
az aks delete -n c -g rg
az webapp delete -n w -g rg
az webapp config appsettings delete -n w --setting-names A
doctl compute droplet delete 123 -f
doctl kubernetes cluster delete c
heroku apps:destroy --app x
heroku pg:reset --confirm x
heroku addons:destroy x
fly apps destroy x -y
fly volumes delete v
vercel remove x -y
vercel domains rm x.com
netlify sites:delete --force
wrangler delete
wrangler kv namespace delete --namespace-id x
wrangler d1 execute db --command "DROP TABLE users"
supabase db reset --linked
supabase projects delete x
firebase firestore:delete -r /users
firebase database:remove /
railway down
hcloud server delete x
linode-cli linodes delete 1
pscale database delete x
neonctl branches delete x
atlas clusters delete x
vault kv metadata delete secret/x
vault secrets disable kv/
op vault delete x
rclone delete remote:x
rclone sync a remote:b
restic prune
borg prune --keep-last 1 repo
mc rb --force store/b
s3cmd del --recursive s3://b
velero backup delete x
kafka-topics --bootstrap-server b --delete --topic t
rabbitmqctl delete_queue q
nats stream purge s
curl -X DELETE https://api.cloudflare.com/client/v4/zones/1
curl -XDELETE 'https://elastic.example.com/index'
eb terminate
eksctl delete cluster --name c
argocd app delete x --cascade
nomad job stop -purge x
consul kv delete -recurse x
`);

describe("a working day", () => {
  it("has enough of both kinds to mean something", () => {
    expect(new Set(SAFE).size).toBeGreaterThanOrEqual(300);
    expect(new Set(DESTRUCTIVE).size).toBeGreaterThanOrEqual(250);
  });

  it.each(SAFE)("leaves alone: %s", (command) => {
    expect(judgeCase(command)).toMatchObject({ decision: "none" });
    expect(judgedByAll(command)).toBe("none");
  });

  it.each([
    "git commit -m \"$(cat <<'END'\nNo more git push --force\n\nand no git reset --hard\nEND\n)\"",
    "gh pr create --title x --body \"$(cat <<'END'\nRun terraform destroy; kubectl delete ns prod\nEND\n)\"",
    "cat > deploy.md <<'END'\ndocker system prune -af\naws s3 rb s3://b --force\nEND",
    "# git reset --hard\ngit status",
    "git status # then git clean -fdx",
  ])("takes mentions for what they are: %s", (command) => {
    expect(judgeCase(command)).toMatchObject({ decision: "none" });
  });

  it.each(DESTRUCTIVE)("stops: %s", (command) => {
    expect(["block", "ask"]).toContain(judgeCase(command).decision);
  });
});

describe("a tree without uncommitted changes", () => {
  const clean = { ...CASE_WORLD, gitIsClean: () => true };

  it.each(["git reset --hard", "git reset --hard HEAD~1", "git checkout -- .", "git restore src"])(
    "has nothing to lose by %s",
    (command) => {
      expect(judgeCase(command, PACKS, clean)).toMatchObject({ decision: "none" });
    },
  );

  it.each(["git clean -fdx", "git push --force origin main", "git stash clear"])("is no excuse for %s", (command) => {
    expect(judgeCase(command, PACKS, clean).decision).toBe("block");
  });

  it("is looked for where git is told to work", () => {
    const asked: (string | undefined)[] = [];
    const world = {
      ...CASE_WORLD,
      gitIsClean: (directory: string | undefined) => {
        asked.push(directory);
        return true;
      },
    };
    judgeCase("cd sub && git -C lib reset --hard", PACKS, world);
    expect(asked).toContain("/home/person/work/project/sub/lib");
  });
});
