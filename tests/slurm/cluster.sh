#!/bin/sh
# A Slurm of two nodes on this machine's loopback, of Debian's packages (slurm-wlm, munge): cluster.sh start FOLDER | stop FOLDER.
# Everything it writes lies in FOLDER; commands of Slurm find it by SLURM_CONF=FOLDER/slurm.conf. Needs root.
set -eu
what=$1
folder=$2
base=${SLURM_TEST_PORT:-17010}

start() {
    mkdir -p "$folder/state" "$folder/n1" "$folder/n2"
    chmod 755 "$folder"
    dd if=/dev/urandom of="$folder/munge.key" bs=1 count=1024 2>/dev/null
    chmod 400 "$folder/munge.key"
    host=$(hostname -s)
    cat >"$folder/slurm.conf" <<CONF
ClusterName=loopback
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/munge.socket
CredType=cred/munge
SlurmctldPort=$base
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/%n
SlurmctldPidFile=$folder/slurmctld.pid
SlurmdPidFile=$folder/slurmd-%n.pid
SlurmctldLogFile=$folder/slurmctld.log
SlurmdLogFile=$folder/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=0,defer_batch
SlurmdParameters=config_overrides
ReturnToService=2
JobRequeue=1
KillWait=2
MinJobAge=300
SlurmdTimeout=30
NodeName=n1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 1)) CPUs=2
NodeName=n2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 2)) CPUs=2
PartitionName=all Nodes=n1,n2 Default=YES MaxTime=INFINITE State=UP
CONF
    # munged wants to own its key, and not to be root.
    chown munge "$folder/munge.key"
    mkdir -p "$folder/munge"
    chown munge "$folder/munge"
    su -s /bin/sh munge -c "/usr/sbin/munged --force --key-file='$folder/munge.key' --socket='$folder/munge/munge.socket' \
        --pid-file='$folder/munge/munged.pid' --log-file='$folder/munge/munged.log' --seed-file='$folder/munge/munged.seed'"
    sed -i "s|$folder/munge.socket|$folder/munge/munge.socket|" "$folder/slurm.conf"
    export SLURM_CONF="$folder/slurm.conf"
    slurmctld -c
    slurmd -N n1
    slurmd -N n2
    for i in $(seq 60); do
        [ "$(sinfo -h -t idle -o %D 2>/dev/null || echo 0)" = 2 ] && return 0
        sleep 0.5
    done
    echo "the nodes do not come up:"
    sinfo || true
    tail -n 5 "$folder"/*.log
    return 1
}

stop() {
    for pid in "$folder"/slurmd-n1.pid "$folder"/slurmd-n2.pid "$folder"/slurmctld.pid "$folder"/munge/munged.pid; do
        [ -f "$pid" ] && kill "$(cat "$pid")" 2>/dev/null || true
    done
    sleep 1
}

case $what in
start) start ;;
stop) stop ;;
*) echo "cluster.sh start FOLDER | stop FOLDER" && exit 2 ;;
esac
